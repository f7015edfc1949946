/** Tests which time limit each request has: its own limit, and the one that n8n's HTTP helper receives. */
import * as n8n from 'n8n-workflow';
import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { TOKEN_SERVER } from '../../nodes/shared/session/token-sender';
import { chunkNode, texts, useChunkText } from '../../support/chunking';
import { runNode } from '../../support/engine';

/** The helper's limit only ends a request whose own limit did not, so it is this much longer. */
const LATER_MS = 1000;

const { credentials } = useChunkText();

interface Sent {
	/** Method and URL. */
	request: string;
	/** The limit that n8n's HTTP helper receives. */
	timeout: number;
}

/** Returns a node that records the requests that arrive at n8n's HTTP helper, and sends them. */
function recording(node: INodeType, sent: Sent[]): INodeType {
	const record = ({ method, url, timeout = 0 }: IHttpRequestOptions) =>
		sent.push({ request: `${method} ${url}`, timeout });
	return {
		description: node.description,
		async execute(this: IExecuteFunctions) {
			const { httpRequest, httpRequestWithAuthentication } = this.helpers;
			this.helpers.httpRequest = async (options) => {
				record(options);
				return (await httpRequest(options)) as unknown;
			};
			this.helpers.httpRequestWithAuthentication = async function (type, options, ...rest) {
				record(options);
				return (await httpRequestWithAuthentication.call(
					this,
					type,
					options,
					...rest,
				)) as unknown;
			};
			return (await node.execute?.call(this)) ?? [[]];
		},
	};
}

/** Records the limits of all requests, in milliseconds. The waits stay as they are. */
function recordLimits(): number[] {
	const limits: number[] = [];
	const { sleep } = n8n;
	jest.spyOn(n8n as { sleep: unknown }, 'sleep', 'get').mockReturnValue(
		async (ms: number, signal?: AbortSignal) => {
			if (signal) limits.push(ms);
			await sleep(ms, signal);
		},
	);
	return limits;
}
afterEach(() => jest.restoreAllMocks());

interface Row {
	node: INodeType;
	parameters?: INodeParameters;
	request: RegExp;
	/** The default of Request Timeout (Seconds). */
	standard: number;
	/** The limit of a request that does not depend on the parameter. */
	always?: number;
}

const { node: chunkText, parameters: CHUNK } = chunkNode();
const TOKEN_SECONDS = TOKEN_SERVER.maxTimeoutMs / 1000;
const ROWS: Record<string, Row> = {
	'the push': { node: new PushDocuments(), request: /^POST .*\/push\//, standard: 60 },
	'the delete': { node: new DeleteDocument(), request: /^DELETE /, standard: 60 },
	'the submission': {
		node: chunkText,
		parameters: CHUNK,
		request: /^POST .*\/async-chunking\//,
		standard: 60,
	},
	'the poll': {
		node: chunkText,
		parameters: CHUNK,
		request: /^GET .*\/async-chunking\//,
		standard: 60,
	},
	'the migration': {
		node: new MigrateBlobs(),
		parameters: { confirm: true },
		request: /^PUT .*\/convert$/,
		standard: 3600,
	},
	// Other runs may wait for the same token.
	'the token request': {
		node: chunkText,
		parameters: CHUNK,
		request: /^POST .*\/token$/,
		standard: 60,
		always: TOKEN_SECONDS,
	},
};

describe.each(Object.entries(ROWS))(
	'%s',
	(_name, { node, parameters, request, standard, always }) => {
		it.each([undefined, 7])(
			'has the time limit of the parameter: %s',
			async (timeoutSeconds) => {
				const sent: Sent[] = [];
				const limits = recordLimits();
				const options = {
					...(parameters?.options as INodeParameters),
					...(timeoutSeconds !== undefined && { timeoutSeconds }),
				};
				const { error } = await runNode({
					node: recording(node, sent),
					items: texts(1),
					parameters: { ...parameters, options },
					credentials: credentials(),
				});
				expect(error).toBeUndefined();
				const ms = 1000 * (always ?? timeoutSeconds ?? standard);
				const timeouts = sent
					.filter((one) => request.test(one.request))
					.map((one) => one.timeout);
				expect([...new Set(timeouts)]).toEqual([ms + LATER_MS]);
				expect(limits).toContain(ms);
				const rows = Object.values(ROWS);
				const withoutRow = sent.filter(
					(one) => !rows.some((row) => row.request.test(one.request)),
				);
				expect(withoutRow).toEqual([]);
			},
		);
	},
);
