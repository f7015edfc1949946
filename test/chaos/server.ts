/** The service over HTTP, with a fault script. Nothing of it is shared with the sandbox. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { inForm, type Secrets } from './canaries';
import {
	sendAnswer,
	isReadable,
	isSuccess,
	sendFault,
	takesEffect,
	type Fault,
	type FaultRule,
} from './faults';
import { Service, type Answer, type Route, type ServicePlan } from './service';

export interface SeenRequest {
	route: Route;
	method: string;
	path: string;
	bytes: number;
	/** What the request is about: the ID of a document or job, or a text. */
	subject: string;
	at: number;
	fault?: Fault;
}

export interface ChaosServer {
	url: string;
	service: Service;
	requests: SeenRequest[];
	/** Faults that were played, by kind. */
	played: Fault[];
	/** Sockets that clients have open. */
	openSockets(): number;
	close(): Promise<void>;
}

interface Target {
	route: Route;
	id: string;
	commit: boolean;
}

/** Which endpoint a request is for; undefined for none of them. */
function targetOf(method: string, url: string): Target | undefined {
	const [path = '', query = ''] = url.split('?');
	const commit = new URLSearchParams(query).get('commit') === 'true';
	const parts = path.split('/').slice(1);
	const target = (route: Route, id = ''): Target => ({ route, id, commit });
	if (method === 'POST' && path === '/oauth2/chaos/v1/token') return target('token');
	if (parts[0] === 'ai' && parts[1] === 'async-chunking') {
		if (method === 'POST' && parts.length === 4) return target('submit');
		if (method === 'GET' && parts.length === 3) return target('results', parts[2]);
	}
	const pushes = path.startsWith('/prefix/api/v1/push/docs');
	if (pushes && method === 'POST' && parts.length === 5) return target('push');
	if (pushes && method === 'DELETE' && parts.length === 6) return target('delete', parts[5]);
	if (method === 'PUT' && path === '/api/blobs/convert') return target('migrate');
	return undefined;
}

const basicOf = (user: string, password: string): string =>
	`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** The header that carries the secret of a request, and the secret itself. */
function secretOf(
	route: Route,
	{ headers }: IncomingMessage,
	secrets: Secrets,
): { header: string; secret: string } {
	if (route === 'push' || route === 'delete') {
		return { header: String(headers['x-api-key'] ?? ''), secret: secrets.apiKey };
	}
	const header = headers.authorization ?? '';
	if (route === 'token') return { header, secret: secrets.clientSecret };
	if (route === 'migrate') return { header, secret: secrets.password };
	return { header, secret: header.replace(/^Bearer /, '') };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}

/** Starts a service of its own for one world. */
export async function startChaosServer(
	plan: ServicePlan,
	faults: FaultRule[],
	clientId: string,
): Promise<ChaosServer> {
	const service = new Service(plan, clientId);
	const { secrets } = service;
	const requests: SeenRequest[] = [];
	const played: Fault[] = [];
	const seenByRule = faults.map(() => 0);

	/** The first rule that applies; every rule of the route counts the request. */
	function faultFor(route: Route): Fault | undefined {
		if (service.isHealed) return undefined;
		let fault: Fault | undefined;
		faults.forEach((rule, at) => {
			if (rule.route !== route) return;
			const seen = seenByRule[at]++;
			if (fault === undefined && seen >= rule.skip && seen < rule.skip + rule.times) {
				fault = rule.fault;
			}
		});
		return fault;
	}

	function isAuthorized(route: Route, header: string): boolean {
		switch (route) {
			case 'token':
				return header === basicOf(clientId, secrets.clientSecret);
			case 'migrate':
				return header === basicOf(secrets.user, secrets.password);
			case 'push':
			case 'delete':
				return header === secrets.apiKey;
			default:
				return service.isValidToken(header.replace(/^Bearer /, ''));
		}
	}

	function work(target: Target, body: string, effect: boolean, tells = true): Answer {
		switch (target.route) {
			case 'token':
				return effect ? service.issueToken() : { status: 200 };
			case 'submit':
				return service.submit(JSON.parse(body), effect);
			case 'results':
				return service.results(decodeURIComponent(target.id), effect);
			case 'push':
				return service.push(body, effect, tells);
			case 'delete':
				return service.delete(decodeURIComponent(target.id), target.commit, effect);
			case 'migrate':
				return service.migrate(effect);
		}
	}

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url = '' } = request;
		const target = targetOf(method, url);
		const body = await bodyOf(request);
		if (target === undefined) {
			const { authorization, 'x-api-key': key } = request.headers;
			const carried = authorization !== undefined || key !== undefined;
			service.truth.strayRequests.push(
				`${method} ${url}${carried ? ' with the secret of the credential' : ''}`,
			);
			sendAnswer(response, { status: 404 });
			return;
		}
		const { route } = target;
		const { header, secret } = secretOf(route, request, secrets);
		const bytes = Buffer.byteLength(body);
		const subject =
			target.id === '' ? (/<<(\w+?)p\d|"id":"([^"]*)"/.exec(body)?.[0] ?? '') : target.id;
		const seen: SeenRequest = {
			route,
			method,
			path: url,
			bytes,
			subject,
			at: performance.now(),
		};
		requests.push(seen);
		if (service.isTooMuch(route)) {
			const { status = 429, retryAfterSeconds } = plan.busy ?? {};
			if (retryAfterSeconds !== undefined)
				response.setHeader('Retry-After', retryAfterSeconds);
			sendAnswer(response, { status });
			return;
		}
		const fault = faultFor(route);
		if (fault !== undefined) {
			seen.fault = fault;
			played.push(fault);
			const answer = work(
				target,
				body,
				takesEffect(fault),
				isReadable(fault) || !isSuccess(fault),
			);
			// What the service refuses it does not call a success.
			if (answer.status >= 400 && isSuccess(fault)) {
				sendAnswer(response, answer);
				return;
			}
			const form = 'echo' in fault && fault.echo ? fault.echo : 'raw';
			sendFault(response, fault, answer, inForm(secret, form, header));
			return;
		}
		if (!isAuthorized(route, header)) {
			sendAnswer(response, { status: 401, json: { message: 'Unauthorized' } });
			return;
		}
		const answer = work(target, body, true);
		response.on('finish', () => answer.delivered?.());
		sendAnswer(response, answer);
	}

	const sockets = new Set<Socket>();
	const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
		handle(request, response).catch((error: unknown) => {
			// A client that goes away in the middle of its request is no failure of the server.
			if (!response.destroyed && !response.headersSent) {
				response.writeHead(500).end(`Chaos server: ${String(error)}`);
			}
		});
	});
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
		socket.on('error', () => {});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		service,
		requests,
		played,
		openSockets: () => sockets.size,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
