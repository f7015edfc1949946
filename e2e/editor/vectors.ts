import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { seconds } from '../shared/progress';
import type { Subject, Suite } from './suite';
import { describe, ownNode, saveChain } from './suite';

/** As many as a long document has. */
const CHUNKS = 500;

/** How much higher a row, and how much slower the panel, may be because of vectors of 384 numbers. */
const MAX_HEIGHT_RATIO = 13;
/** The same for quantized vectors, as most indexes have them. */
const MAX_QUANTIZED_HEIGHT_RATIO = 4;
const MAX_TIME_RATIO = 3;

/** Opening a panel takes a moment in any case; less is not worth a comparison. */
const LEAST_MS = 1_000;

const AFTER = 'Next Node';

/** What a user waits for and scrolls through. */
interface Measures {
	rowHeight: number;
	openMs: number;
	nextMs: number;
	nextFields: number;
}

/** Vectors must not bury the output. */
export const vectors: Subject = {
	title: 'Showing chunks with vectors',
	async run(suite) {
		const { checks } = suite;
		const without = await measure(suite, 'without vectors', withoutVectors(suite));
		const bare = await measure(suite, 'with vectors', {});
		const quantized = await measure(suite, 'with quantized vectors', {
			options: { vectorQuantizationMethod: 'max-scale' },
		});
		const figures = (what: string, { rowHeight, openMs, nextMs, nextFields }: Measures) =>
			`${what}: row ${Math.round(rowHeight)} px, output ${seconds(openMs)}, next node ${seconds(nextMs)}, ${nextFields} fields`;
		const seen = `${figures('without', without)}; ${figures('with', bare)}; ${figures('quantized', quantized)}`;
		checks.add(
			`Vectors make a row at most ${MAX_HEIGHT_RATIO} times as high`,
			bare.rowHeight <= MAX_HEIGHT_RATIO * without.rowHeight,
			seen,
		);
		checks.add(
			`Quantized vectors make a row at most ${MAX_QUANTIZED_HEIGHT_RATIO} times as high`,
			quantized.rowHeight <= MAX_QUANTIZED_HEIGHT_RATIO * without.rowHeight,
		);
		const isQuick = (ms: number, usual: number) =>
			ms <= MAX_TIME_RATIO * Math.max(usual, LEAST_MS);
		checks.add(
			`Vectors make opening the panels at most ${MAX_TIME_RATIO} times as slow`,
			isQuick(bare.openMs, without.openMs) && isQuick(bare.nextMs, without.nextMs),
		);
		checks.add(
			'Vectors are one field for the next node',
			bare.nextFields <= without.nextFields + 1,
			`${bare.nextFields}`,
		);
	},
};

/** The parameters that leave the vectors out, wherever the setting is. */
function withoutVectors({ nodes }: Suite): Record<string, unknown> {
	const { properties } = describe(nodes, 'chunkText');
	const setting = properties.find(({ displayName }) => /vectors/i.test(displayName));
	if (setting) return { [setting.name]: offValue(setting) };
	const options = properties.find(({ name }) => name === 'options');
	const option = (options?.options as INodeProperties[] | undefined)?.find(({ displayName }) =>
		/vectors/i.test(displayName),
	);
	if (!option) throw new Error('Chunk Text has no setting for vectors');
	return { options: { [option.name]: offValue(option) } };
}

function offValue({ type, options }: INodeProperties): unknown {
	if (type === 'boolean') return false;
	return (options as INodePropertyOptions[]).find(({ value }) => value === 'none')?.value;
}

/** As short as a heading, so that nothing but the vector makes a row high. */
const chunkText = (number: number): string => `Chunk number ${number} of a long document.`;

async function measure(
	suite: Suite,
	name: string,
	parameters: Record<string, unknown>,
): Promise<Measures> {
	const { canvas, nodes } = suite;
	const { displayName } = describe(nodes, 'chunkText');
	const text = Array.from({ length: CHUNKS }, (_, line) => chunkText(line)).join('\n');
	const { id } = await saveChain(
		suite,
		name,
		[{ id: 'vectors', name: 'Vectors', text }],
		[
			ownNode(suite, 'chunkText', { modelId: 'gte-small', regex: '\\n', ...parameters }),
			{ name: AFTER, type: 'n8n-nodes-base.noOp' },
		],
	);
	await canvas.open(id);
	await canvas.run();
	const openedAt = Date.now();
	const panel = await canvas.openNode(displayName);
	const rowHeight = await panel.rowHeight();
	const openMs = Date.now() - openedAt;
	await panel.close();
	const nextAt = Date.now();
	const next = await canvas.openNode(AFTER);
	const fields = await next.inputFields();
	return { rowHeight, openMs, nextMs: Date.now() - nextAt, nextFields: fields.length };
}
