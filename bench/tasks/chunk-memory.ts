import { around, plainNode } from '../lib/nodes';

import { setTimeout as delay } from 'node:timers/promises';

import type { IDataObject, IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../lib/shipped';
import type { CredentialData } from '../../support/credential-store';
import { runNode } from '../../support/engine';
import { makeText } from '../lib/documents';
import { liveBytes, MemoryMeter, peakRss } from '../lib/memory';

export interface ChunkMemoryParameters {
	/** The response alone, fetched by a plain node, or by one of Chunk Text's operations. */
	client: 'parse' | 'helper' | 'getResults' | 'submitAndWait';
	measure: 'memory' | 'time';
	/** What is returned by Chunk Text. */
	output?: string;
	credentials: CredentialData;
	resultsUrl: string;
	authorization: string;
	chunkingId: string;
	/** How many the text of a submission gives. */
	sentences: number;
	parameters: INodeParameters;
	/** A small response, to load and warm up whatever a run needs. */
	warmUp: { resultsUrl: string; chunkingId: string };
}

export interface ChunkMemoryResult {
	/** Bytes of the body. */
	body: number;
	/** In use above the start: at the end, with the output held; at most; at most since the response was there. */
	held: number;
	peak: number;
	sinceReply: number;
	/** The most the process had above its start, garbage included. */
	rss: number;
	chunks: number;
	ms: number;
}

type Target = Pick<ChunkMemoryParameters, 'resultsUrl' | 'chunkingId' | 'sentences'>;

/** A response larger than this is the one that matters. */
const LARGE = 1_000_000;

/** Tells when a large response has come through n8n's helper, which has a share of its own. */
function watched(context: IExecuteFunctions, onReply: () => void): IExecuteFunctions {
	const original = context.helpers.httpRequestWithAuthentication;
	const watch: typeof original = async function (this: never, ...call) {
		const response = (await original.apply(this, call)) as unknown;
		const isLarge = isLargeResponse(response);
		if (isLarge) onReply();
		return response;
	};
	return Object.create(context, {
		helpers: { value: { ...context.helpers, httpRequestWithAuthentication: watch } },
	}) as IExecuteFunctions;
}

function isLargeResponse(response: unknown): boolean {
	const { headers, body } = response as { headers?: Record<string, string>; body?: unknown };
	return body !== undefined && Number(headers?.['content-length']) > LARGE;
}

/** One response with very many chunks, in a process that does nothing else. */
export async function run(options: ChunkMemoryParameters): Promise<ChunkMemoryResult> {
	const { client, credentials, measure } = options;
	const meter = new MemoryMeter();
	let sinceReply = 0;
	let replied = false;
	const sample = () => {
		if (measure !== 'memory') return 0;
		const live = meter.sample();
		if (replied) sinceReply = Math.max(sinceReply, live);
		return live;
	};
	const onReply = () => {
		replied = true;
		sample();
	};
	const helper = plainNode(
		async function () {
			const url = this.getInputData()[0].json.url as string;
			const { body } = (await watched(
				this,
				onReply,
			).helpers.httpRequestWithAuthentication.call(this, 'aiServiceOAuth2Api', {
				method: 'GET',
				url,
				returnFullResponse: true,
			})) as { body: IDataObject };
			return [[{ json: body }]];
		},
		['aiServiceOAuth2Api'],
	);
	const chunk = around(new ChunkText(), async (context, execute) => {
		const timer = setInterval(() => replied && sample(), 10);
		const output = await execute(watched(context, onReply)).finally(() => clearInterval(timer));
		sample();
		return output;
	});
	const fetchBody = async (url: string) => {
		const response = await fetch(url, { headers: { Authorization: options.authorization } });
		return await response.text();
	};
	const runOn = async (node: INodeType, item: IDataObject, parameters: INodeParameters = {}) => {
		const result = await runNode({ node, items: [item], parameters, credentials });
		if (result.error) throw result.error;
		return result;
	};
	const output = { output: options.output ?? 'chunks', documentId: 'a', documentName: 'A name' };
	const work = async ({ resultsUrl, chunkingId, sentences }: Target): Promise<unknown> => {
		if (client === 'helper') return await runOn(helper, { url: resultsUrl });
		return client === 'getResults'
			? await runOn(chunk, { chunkingId }, { operation: 'getResults', ...output })
			: await runOn(
					chunk,
					{ text: makeText(sentences) },
					{ ...options.parameters, ...output },
				);
	};

	await fetchBody(options.warmUp.resultsUrl);
	if (client !== 'parse') await work({ ...options.warmUp, sentences: 2 });
	const body = client === 'parse' ? await fetchBody(options.resultsUrl) : '';
	liveBytes();
	const before = liveBytes();
	const rssBefore = process.memoryUsage().rss;
	if (measure === 'memory') meter.start();
	const startedAt = performance.now();
	const kept = client === 'parse' ? (JSON.parse(body) as unknown) : await work(options);
	const ms = performance.now() - startedAt;
	meter.stop();
	const rss = peakRss() - rssBefore;
	// n8n's helper releases the text of a response a moment after it has returned.
	await delay(100);
	const held = liveBytes();
	return {
		body: body.length,
		held: held - before,
		peak: Math.max(meter.peak, held) - before,
		sinceReply: Math.max(sinceReply, held) - before,
		rss,
		chunks: countOf(kept),
		ms,
	};
}

function countOf(kept: unknown): number {
	const { output } = kept as { output?: unknown[] };
	return output?.length ?? 0;
}
