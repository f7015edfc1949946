import { plainNode, around } from '../lib/nodes';

import type { INodeType } from 'n8n-workflow';

import { PushDocuments } from '../lib/shipped';
import type { CredentialData } from '../../support/credential-store';
import { runNode } from '../../support/engine';
import { axiosClient, limited, slices } from '../lib/axios-client';
import { makeDocuments } from '../lib/documents';
import { liveBytes, MemoryMeter, peakRss } from '../lib/memory';

export interface ScaleParameters {
	documents: number;
	client: 'node' | 'passThrough' | 'axios';
	/** Collects all garbage again and again, which takes time: a run measures one or the other. */
	measure: 'time' | 'memory';
	credentials: CredentialData;
	pushUrl: string;
	pushKey: string;
}

export interface ScaleResult {
	/** Wall time of the run; without the engine's share, as n8n itself measures it. */
	ms: number;
	nodeMs: number;
	/** What the input items take in memory. */
	inputBytes: number;
	/** The most that was in use beside the input, garbage not counted. */
	peakAboveInput: number;
	/** The most the process had beside the input and what it had before, garbage included. */
	rssAboveInput: number;
}

const WARM_UP = 2_000;

/** Pushes documents once, in a process that does nothing else. */
export async function run(parameters: ScaleParameters): Promise<ScaleResult> {
	const { client, credentials, measure } = parameters;
	const meter = new MemoryMeter();
	let warm = false;
	const sample = () => {
		if (warm && measure === 'memory') meter.sample();
	};
	const passThrough = plainNode(async function () {
		sample();
		return [this.getInputData()];
	});
	const push = around(new PushDocuments(), async (context, execute) => {
		const output = await execute(context);
		sample();
		return output;
	});
	const node: INodeType = client === 'node' ? push : passThrough;
	const send = async (items: ReturnType<typeof makeDocuments>): Promise<number> => {
		if (client === 'axios') {
			const axios = axiosClient({ 'X-API-Key': parameters.pushKey }, { keepAlive: false });
			await limited(4, slices(items, 100), async (batch) => {
				await axios.post(parameters.pushUrl, batch);
			});
			return 0;
		}
		const { output, error, taskData } = await runNode({ node, items, credentials });
		if (error || output.length !== items.length)
			throw error ?? new Error('Documents are missing');
		return taskData?.executionTime ?? 0;
	};

	await send(makeDocuments(WARM_UP));
	warm = true;
	liveBytes();
	const before = liveBytes();
	const rssBefore = process.memoryUsage().rss;
	const items = makeDocuments(parameters.documents);
	const withInput = liveBytes();
	const inputBytes = withInput - before;
	if (measure === 'memory') meter.start();
	const startedAt = performance.now();
	const nodeMs = await send(items);
	const ms = performance.now() - startedAt;
	meter.stop();
	return {
		ms,
		nodeMs,
		inputBytes,
		peakAboveInput: meter.peak - withInput,
		rssAboveInput: peakRss() - rssBefore - inputBytes,
	};
}
