import { around } from '../lib/nodes';

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { Parameters } from '../../nodes/shared/n8n/parameters/parameters';
import { properties, property } from '../../nodes/shared/n8n/parameters/properties';
import { Slices } from '../../nodes/shared/n8n/run/slices';
import { runNode } from '../../support/engine';
import { useExpressionEngine, type ExpressionEngine } from '../../support/expression-engine';

export interface ReadParameters {
	reader: 'Parameters' | 'getNodeParameter' | 'Edit Fields' | 'no expressions';
	engine: ExpressionEngine;
	items: number;
	/** What each of the four parameters is. */
	expressions: 'plain' | 'other';
}

export interface ReadResult {
	/** What the node took. */
	ms: number;
	/** For how long nothing else in the process could run. */
	blockedMs: number;
}

const E2E = join(__dirname, '..', '..', 'e2e', 'package.json');
const FIELDS = ['id', 'name', 'description', 'url'] as const;

const field = <const N extends string>(name: N) =>
	property({ displayName: name, name, type: 'string', default: '' });
const READ = properties([field('id'), field('name'), field('description'), field('url')]);

const expressionsOf = (kind: ReadParameters['expressions']): Record<string, string> =>
	Object.fromEntries(
		FIELDS.map((field) => [
			field,
			kind === 'plain' ? `={{ $json.${field} }}` : `={{ $json.${field} + "" }}`,
		]),
	);

/** Reads four parameters of each item, one way or the other. */
function readingNode(reader: ReadParameters['reader']): INodeType {
	return {
		description: {
			displayName: 'Reading',
			name: 'reading',
			group: ['transform'],
			version: 1,
			description: 'For a benchmark',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			properties: READ,
		},
		async execute() {
			const parameters = new Parameters(this, READ);
			const slices = new Slices();
			const items = this.getInputData();
			const output = [];
			for (let item = 0; item < items.length; item++) {
				const json: IDataObject = {};
				for (const field of FIELDS) {
					json[field] =
						reader === 'getNodeParameter'
							? (this.getNodeParameter(field, item) as string)
							: parameters.text(field, item);
				}
				if (reader !== 'getNodeParameter') await slices.breathe();
				output.push({ json, pairedItem: { item } });
			}
			return [output];
		},
	};
}

/** n8n's own Edit Fields, from the n8n that e2e/ has installed. */
function editFields(): INodeType {
	const { Set } = createRequire(E2E)('n8n-nodes-base/dist/nodes/Set/Set.node.js') as {
		Set: new () => { nodeVersions: Record<number, INodeType> };
	};
	const { description, execute } = new Set().nodeVersions[3.4];
	return { description: { ...description, version: 3.4 }, execute };
}

function assignments(kind: ReadParameters['expressions']): INodeParameters {
	const values = expressionsOf(kind);
	return {
		assignments: {
			assignments: FIELDS.map((name) => ({
				id: name,
				name,
				type: 'string',
				value: values[name],
			})),
		},
	};
}

/** Reads the parameters of all items once, after a short warm-up. */
export async function run(options: ReadParameters): Promise<ReadResult> {
	const { reader, engine, expressions } = options;
	if (engine !== 'legacy') await useExpressionEngine(engine);
	const isPeer = reader === 'Edit Fields';
	const result: ReadResult = { ms: 0, blockedMs: 0 };
	const node = around(isPeer ? editFields() : readingNode(reader), async (context, execute) => {
		// It measures from turn to turn, so there must be one before and one after.
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		await sleep(20);
		const startedAt = performance.now();
		const output = await execute(context);
		result.ms = performance.now() - startedAt;
		await sleep(20);
		result.blockedMs = delay.max / 1e6;
		return output;
	});
	const constants = Object.fromEntries(FIELDS.map((field) => [field, field]));
	const parameters = isPeer
		? assignments(expressions)
		: reader === 'no expressions'
			? constants
			: expressionsOf(expressions);
	const read = async (count: number) => {
		const items = Array.from({ length: count }, (_, at) => ({
			id: `d${at}`,
			name: `Document ${at}`,
			description: 'What the document is about',
			url: `https://example.com/${at}`,
		}));
		const { output, error } = await runNode({ node, items, parameters });
		if (error || output.length !== count) throw error ?? new Error('Items are missing');
		if (reader !== 'no expressions' && output[count - 1].json.id !== `d${count - 1}`) {
			throw new Error('A parameter was not read');
		}
	};
	await read(100);
	await read(options.items);
	return result;
}
