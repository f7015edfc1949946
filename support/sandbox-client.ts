import axios, { type AxiosInstance, type AxiosResponse } from 'axios';

import { PATHS } from '../nodes/shared/service/url';
import { DEMO, type Sandbox } from '../sandbox';
import { eventually } from './eventually';

export const PREDICT = 'machinelearning.predict';

const TOKEN_HEADERS = {
	'Cache-Control': 'no-cache',
	Accept: 'application/json',
	'Content-Type': 'application/x-www-form-urlencoded',
};

function client(): AxiosInstance {
	return axios.create({
		validateStatus: () => true,
		maxRedirects: 0,
		proxy: false,
		maxBodyLength: Infinity,
	});
}

export const http = client();

export async function requestToken(
	sandbox: Sandbox,
	scope = PREDICT,
	changes: {
		headers?: Record<string, string | undefined>;
		query?: Record<string, string>;
		user?: string;
		password?: string;
		auth?: string;
		body?: string;
	} = {},
): Promise<AxiosResponse> {
	const { user = DEMO.clientId, password = DEMO.clientSecret, auth = 'default' } = changes;
	const headers: Record<string, string> = {
		Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
	};
	for (const [name, value] of Object.entries({ ...TOKEN_HEADERS, ...changes.headers })) {
		if (value !== undefined) headers[name] = value;
	}
	return await http.request({
		method: 'POST',
		url: sandbox.urls.authUrl + PATHS.token(auth),
		params: { scope, grant_type: 'client_credentials', ...changes.query },
		headers,
		// axios removes the Content-Type header from a request without data.
		data: changes.body ?? '',
	});
}

export async function bearer(
	sandbox: Sandbox,
	scope = PREDICT,
): Promise<{ Authorization: string }> {
	const { data } = await requestToken(sandbox, scope);
	return { Authorization: `Bearer ${data.access_token}` };
}

interface Entry {
	chunks: string[];
	spans: Array<[number, number]>;
	vectors: Array<{ tokensUsed: { inputTokens: number }; vector: number[] }>;
}

interface Results {
	chunkingId: string;
	status: string;
	message?: string;
	chunkedData?: Entry[];
	vector?: Array<{ vector: number[] }>;
}

export async function chunk(
	sandbox: Sandbox,
	chunker: string,
	texts: string[],
	body: Record<string, unknown> = {},
	model = 'gte-small',
): Promise<Results> {
	const headers = await bearer(sandbox);
	const url = sandbox.urls.aiUrl + PATHS.chunking;
	const batch = texts.map((text) => ({ text }));
	const submitted = await http.post(
		`${url}/${chunker}/${model}`,
		{ batch, ...body },
		{ headers },
	);
	if (submitted.status !== 200) throw new Error(JSON.stringify(submitted.data));
	const { chunkingId } = submitted.data as Results;
	await eventually(
		() =>
			sandbox
				.jobs()
				.every((job) => job.chunkingId !== chunkingId || job.status !== 'SUBMITTED'),
		() => sandbox.jobs(),
	);
	const { data } = await http.get(`${url}/${chunkingId}`, { headers });
	return data as Results;
}

export async function push(
	sandbox: Sandbox,
	documents: unknown,
	endpoint: string = DEMO.endpoint,
	key: string = DEMO.pushKey,
): Promise<AxiosResponse> {
	return await http.post(`${sandbox.urls.pushUrl}${PATHS.push}/${endpoint}`, documents, {
		headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
	});
}

export async function remove(
	sandbox: Sandbox,
	id: string,
	query = '',
	endpoint: string = DEMO.endpoint,
	key: string = DEMO.pushKey,
): Promise<AxiosResponse> {
	const path = `${PATHS.push}/${endpoint}/${encodeURIComponent(id)}`;
	return await http.delete(`${sandbox.urls.pushUrl}${path}${query}`, {
		headers: { 'x-api-key': key },
	});
}

export async function sleep(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
