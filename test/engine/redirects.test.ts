/**
 * Tests that no request follows a redirect, because it would take a key, a token or a login to another host. Each route
 * of the services is redirected to a second server, for the nodes and for the Test button of each credential.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { ICredentialType } from 'n8n-workflow';

import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { LucidworksBlobApi } from '../../credentials/LucidworksBlobApi.credentials';
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { SharedToken } from '../../nodes/shared/service/tokens/shared-token';
import type { FaultRule } from '../../sandbox';
import { texts, useChunkText } from '../../support/chunking';
import { testCredential } from '../../support/engine';
import { nodeRunner } from '../../support/sandbox';

const { credentials, chunk, requests, fault } = useChunkText();
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
const migrate = nodeRunner(new MigrateBlobs(), credentials);

const DOCUMENT = { id: 'a', name: 'A' };
/** The credentials, and the route of the request with which each one is tested. */
const CREDENTIALS = [
	[LucidworksAiOAuth2Api, 'results'],
	[LucidworksBlobApi, 'blobs'],
	[LucidworksPushApi, 'push'],
] as const;

let other: Server;
let arrived: string[];

beforeAll(async () => {
	other = createServer(({ method, headers }, response) => {
		arrived.push(`${method} ${JSON.stringify(headers)}`);
		response.end('{}');
	});
	await new Promise<void>((listening) => other.listen(0, listening));
});
beforeEach(() => {
	arrived = [];
	SharedToken.states.clear();
});
afterAll(async () => {
	other.closeAllConnections();
	await new Promise((closed) => other.close(closed));
});

const press = async (Type: new () => ICredentialType) => {
	const type = new Type();
	return await testCredential(type, credentials()[type.name] ?? {});
};

type Route = FaultRule['route'];
interface Road {
	what: string;
	routes: Route[];
	run: () => Promise<unknown>;
	/** Whether the same request is sent twice. */
	isRepeated?: true;
}
const ROADS: Road[] = [
	{
		what: 'Chunk Text',
		routes: ['token', 'submit', 'results'],
		run: async () => await chunk(texts(1)),
	},
	{ what: 'Push Documents', routes: ['push'], run: async () => await push([DOCUMENT]) },
	{ what: 'Delete Document', routes: ['delete'], run: async () => await remove([DOCUMENT]) },
	{
		what: 'Migrate Blobs',
		routes: ['convert'],
		run: async () => await migrate([{}], { confirm: true }),
	},
	...CREDENTIALS.map(
		([Type, route]): Road => ({
			what: `the test of ${new Type().displayName}`,
			routes: [route],
			run: async () => await press(Type),
			isRepeated: true,
		}),
	),
	{
		what: 'the test of a client',
		routes: ['token'],
		run: async () => await press(LucidworksAiOAuth2Api),
	},
];

const ROWS = ROADS.flatMap(({ routes, isRepeated, ...road }) =>
	routes.flatMap((route) =>
		(isRepeated ? [0, 1] : [0]).flatMap((skip) =>
			[301, 302, 303, 307, 308].map((status) => ({ ...road, route, skip, status })),
		),
	),
);

it.each(ROWS)(
	'$what follows no redirect: $route, status $status, after $skip others',
	async ({ route, run, skip, status }) => {
		const { port } = other.address() as AddressInfo;
		fault(route, { status, skip, redirectTo: `http://localhost:${port}/elsewhere` });
		await run();
		expect(requests(route).map((request) => request.status)).toContain(status);
		expect(arrived).toEqual([]);
	},
);

it('the other server would notice a request', async () => {
	await fetch(`http://localhost:${(other.address() as AddressInfo).port}/`);
	expect(arrived).toHaveLength(1);
});
