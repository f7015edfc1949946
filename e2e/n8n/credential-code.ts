/**
 * The tests of our nodes use copies of two parts of n8n: the credentials helper and the credential tester
 * (`support/credentials-helper.ts`, `support/credential-test.ts`). The originals cannot run without n8n's database.
 * This file runs the same operations with the copies and with the installed n8n. After an n8n update, comparing the
 * results shows whether the copies still behave like n8n.
 */
import 'reflect-metadata';

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INode,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { injectDomainRestrictionFields, Workflow } from 'n8n-workflow';

import { startSandbox } from '../../sandbox';
import { additionalData } from '../../support/additional-data';
import { CredentialStore } from '../../support/credential-store';
import { testCredential } from '../../support/credential-test';
import { packageCredentialType } from '../../support/credential-types';
import { sandboxCredentials } from '../../support/credentials';
import { EngineCredentialsHelper } from '../../support/credentials-helper';
import type { Checks } from '../shared/checks';
import { E2E } from '../shared/paths';

type Data = ICredentialDataDecryptedObject;
type Helper = Pick<
	EngineCredentialsHelper,
	'authenticate' | 'preAuthentication' | 'runPreAuthentication'
>;

interface N8nHelper extends Helper {
	getCredentials: () => Promise<{ getData: () => Promise<Data> }>;
	updateCredentials: (node: unknown, type: string, data: Data) => Promise<void>;
	applyDefaultsAndOverwrites: (
		base: IWorkflowExecuteAdditionalData,
		data: Data,
		type: string,
		mode: 'internal',
	) => Promise<Data>;
}

interface N8nTester {
	testCredentials: (
		user: string,
		type: string,
		credentials: { id: string; name: string; type: string; data: Data },
	) => Promise<{ status: string; message: string }>;
}

type Class<T> = new (...args: unknown[]) => T;

const requireOfN8n = createRequire(path.join(E2E, 'node_modules', 'n8n', 'package.json'));
const nothing = () => undefined;

const TOKEN = 'sessionToken';

/** A credential type with the features that n8n treats specially: an expirable field, and headers from expressions. */
const sample = (answer: Data): ICredentialType => ({
	name: 'sample',
	displayName: 'Sample',
	properties: [
		{ displayName: 'User', name: 'user', type: 'string', default: 'nobody' },
		{ displayName: 'Formula', name: 'formula', type: 'string', default: '' },
		{
			displayName: 'Token',
			name: TOKEN,
			type: 'hidden',
			typeOptions: { expirable: true },
			default: '',
		},
	],
	preAuthentication: async function (this: IHttpRequestHelper, credentials: Data) {
		await this.helpers.httpRequest({ url: `http://token/${String(credentials.user)}` });
		return answer as never;
	},
	authenticate: {
		type: 'generic',
		properties: {
			headers: {
				'X-User': '={{ $credentials.user }}',
				'X-Empty': '={{ "" }}',
				'X-Fixed': 'a',
			},
		},
	},
});

const workflow = () =>
	new Workflow({
		nodes: [],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: nothing,
			getByNameAndVersion: nothing,
			getKnownTypes: () => ({}),
		} as never,
	});

const NODE: INode = {
	id: '1',
	name: 'Node',
	type: 'sample',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	credentials: { sample: { id: '1', name: 'sample' } },
};
const { credentials: _none, ...WITHOUT_CREDENTIALS } = NODE;
const NODES = {
	'a node': NODE,
	'a node without credentials': WITHOUT_CREDENTIALS,
	'a test': { ...NODE, parameters: { temp: '' }, type: 'n8n-nodes-base.noOp' },
};

function n8nHelper(store: CredentialStore, type: ICredentialType): N8nHelper {
	const { CredentialsHelper } = requireOfN8n('./dist/credentials-helper.js') as {
		CredentialsHelper: Class<N8nHelper>;
	};
	// n8n adds these fields when it loads a package.
	const loaded = { ...type, properties: injectDomainRestrictionFields(type) };
	const types = {
		getByName: () => Object.assign(Object.create(type) as ICredentialType, loaded),
		getParentTypes: () => [],
		getSupportedNodes: () => [],
	};
	const overwrites = { applyOverwrite: (_type: string, data: Data) => data };
	const helper = new CredentialsHelper(types, overwrites);
	helper.getCredentials = async () =>
		await Promise.resolve({ getData: async () => await Promise.resolve(store.get(type.name)) });
	helper.updateCredentials = async (_node, name, data) =>
		await Promise.resolve(store.replace(name, data));
	return helper;
}

async function seen(work: () => Promise<unknown>): Promise<unknown> {
	try {
		return { result: structuredClone(await work()) };
	} catch (error) {
		return { error: (error as Error).name };
	}
}

async function both(
	type: ICredentialType,
	stored: Data,
	work: (helper: Helper, store: CredentialStore, isOurs: boolean) => Promise<unknown>,
): Promise<{ ours: unknown; n8n: unknown }> {
	const play = async (isOurs: boolean) => {
		const store = new CredentialStore({ [type.name]: stored });
		const helper = isOurs
			? new EngineCredentialsHelper(store, { [type.name]: type })
			: n8nHelper(store, type);
		const result = await seen(async () => await work(helper, store, isOurs));
		return { result, stored: store.get(type.name) };
	};
	return { ours: await play(true), n8n: await play(false) };
}

function recordingHelpers() {
	const requests: IHttpRequestOptions[] = [];
	const httpRequest = async (options: IHttpRequestOptions) =>
		void (await Promise.resolve(requests.push(structuredClone(options))));
	return { requests, helpers: { helpers: { httpRequest } } as IHttpRequestHelper };
}

const DOMAINS = { allowedHttpRequestDomains: 'domains', allowedDomains: 'a.example' };
const STORED: Record<string, Data> = {
	'no token': { user: 'a', [TOKEN]: '' },
	'a token': { user: 'a', [TOKEN]: 'old', formula: '={{ 1 + 1 }}' },
	'a token from an expression': { user: 'a', [TOKEN]: '={{ "" }}' },
	'limited domains': { user: 'a', [TOKEN]: '', ...DOMAINS },
};
const ANSWERS: Record<string, Data> = {
	'a new token': { [TOKEN]: 'new' },
	'more than a token': { [TOKEN]: 'new', formula: '2', user: 'b' },
	nothing: {},
};

async function compareHelper(add: (title: string, ours: unknown, n8n: unknown) => void) {
	for (const [how, stored] of Object.entries(STORED)) {
		for (const [what, answer] of Object.entries(ANSWERS)) {
			const type = sample(answer);
			for (const [where, node] of Object.entries(NODES)) {
				for (const isExpired of [false, true]) {
					const { ours, n8n } = await both(type, stored, async (helper) => {
						const { requests, helpers } = recordingHelpers();
						// The data passed with a request can differ from the stored data.
						const data = { ...structuredClone(stored), user: 'c' };
						const result = await helper.preAuthentication(
							helpers,
							data,
							'sample',
							node,
							isExpired,
						);
						return { result, data, requests };
					});
					const expired = isExpired ? ', expired' : '';
					add(`preAuthentication of ${where}: ${how}, ${what}${expired}`, ours, n8n);
				}
			}
			const { ours, n8n } = await both(type, stored, async (helper) => {
				const { requests, helpers } = recordingHelpers();
				return [
					await helper.runPreAuthentication(helpers, { ...stored }, 'sample'),
					requests,
				];
			});
			add(`runPreAuthentication: ${how}, ${what}`, ours, n8n);
		}
		const type = sample({});
		const signed = await both(
			type,
			stored,
			async (helper) =>
				await helper.authenticate(stored, 'sample', { url: 'http://x' }, workflow(), NODE),
		);
		add(`authenticate: ${how}`, signed.ours, signed.n8n);
		const read = await both(type, stored, async (helper, store) => {
			const base = additionalData(helper as EngineCredentialsHelper, 'internal');
			return helper instanceof EngineCredentialsHelper
				? await helper.applyDefaults(base, store.get('sample'), 'sample', 'internal')
				: await (helper as N8nHelper).applyDefaultsAndOverwrites(
						base,
						store.get('sample'),
						'sample',
						'internal',
					);
		});
		add(`defaults and expressions: ${how}`, read.ours, read.n8n);
	}
}

/** A credential type whose test contains rules. Our own credentials have no such rules. */
const plain = (url: string): ICredentialType => ({
	name: 'plain',
	displayName: 'Plain',
	properties: [],
	test: {
		request: { url },
		rules: [
			{ type: 'responseCode', properties: { value: 418, message: 'It is a teapot' } },
			{
				type: 'responseSuccessBody',
				properties: { key: 'a.b', value: 'bad', message: 'It says bad' },
			},
		] as ICredentialTestRequest['rules'],
	},
});

/** Creates n8n's credential tester without a database. Nothing that is tested here needs one. */
function n8nTester(helper: N8nHelper, type: ICredentialType): N8nTester {
	const base = requireOfN8n('./dist/workflow-execute-additional-data.js') as {
		getBase: unknown;
	};
	base.getBase = async (more: object) =>
		await Promise.resolve({
			...additionalData(helper as unknown as EngineCredentialsHelper, 'internal'),
			...more,
		});
	const { CredentialsTester } = requireOfN8n('./dist/services/credentials-tester.service.js') as {
		CredentialsTester: Class<N8nTester>;
	};
	const noOp = { name: 'noOp', version: 1, properties: [], inputs: ['main'], outputs: ['main'] };
	return new CredentialsTester(
		{ debug: nothing },
		{ error: nothing },
		{ getByName: () => type },
		{ getByNameAndVersion: () => ({ description: { ...noOp, group: [], defaults: {} } }) },
		helper,
	);
}

async function compareTester(add: (title: string, ours: unknown, n8n: unknown) => void) {
	const sandbox = await startSandbox();
	const server = createServer((request, response) => {
		const [, status = '', body] = decodeURIComponent(request.url ?? '').split('/');
		response.writeHead(Number(status), { 'Content-Type': 'application/json' }).end(body);
	});
	try {
		const good = sandboxCredentials(sandbox);
		const nowhere = 'http://127.0.0.1:9';
		const cases: Array<[string, string, Data]> = [
			['lucidworksAiOAuth2Api', 'good values', {}],
			['lucidworksAiOAuth2Api', 'a wrong secret', { clientSecret: 'wrong' }],
			['lucidworksPushApi', 'good values', {}],
			['lucidworksPushApi', 'a wrong key', { apiKey: 'wrong' }],
			['lucidworksPushApi', 'a dead host', { pushUrl: nowhere }],
			['lucidworksBlobApi', 'good values', {}],
			['lucidworksBlobApi', 'a dead host', { baseUrl: nowhere }],
		];
		const compare = async (newType: () => ICredentialType, how: string, data: Data) => {
			const ours = await testCredential(newType(), data);
			const type = newType();
			const { name } = type;
			const helper = n8nHelper(new CredentialStore({ [name]: data }), type);
			const n8n = await n8nTester(helper, type).testCredentials('user', name, {
				id: name,
				name,
				type: name,
				data,
			});
			const told = ({ ok, message }: typeof ours) => ({ ok, message });
			const ok = n8n.status === 'OK';
			add(`the test of ${name}: ${how}`, told(ours), { ok, message: n8n.message });
		};
		for (const [name, how, changes] of cases) {
			const newType = () => packageCredentialType(name) as ICredentialType;
			await compare(newType, how, { ...good[name], ...changes });
		}
		await compare(() => plain(nowhere), 'a dead host', {});
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		for (const answer of ['200/{"a":{"b":"bad"}}', '200/{"a":1}', '418/', '500/', '599/'])
			await compare(() => plain(`http://127.0.0.1:${port}/${answer}`), answer, {});
	} finally {
		server.close();
		await sandbox.close();
	}
}

/** Compares the copies of n8n's credential code in support/ with the installed n8n. */
export async function compareCredentialCode(checks: Checks): Promise<void> {
	const differences: string[] = [];
	let count = 0;
	const add = (title: string, ours: unknown, n8n: unknown) => {
		count++;
		if (!isDeepStrictEqual(ours, n8n))
			differences.push(`${title}: ${JSON.stringify({ ours, n8n })}`);
	};
	await compareHelper(add);
	await compareTester(add);
	checks.add(
		`support/ treats credentials as the installed n8n does, in ${count} cases`,
		differences.length === 0 && count > 100,
		differences.join('\n'),
	);
}
