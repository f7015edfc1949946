import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { PreviousTries } from '../../../nodes/shared/n8n/run/previous-tries';

const NODE = { id: 'n', parameters: { a: 1 }, retryOnFail: true } as unknown as INode;
const items = (): INodeExecutionData[] => [{ json: {} }, { json: {} }];

/** One try of a node. */
const tryOf = (
	input: INodeExecutionData[],
	{ node = {}, executionId = 'e' }: { node?: Partial<INode>; executionId?: string } = {},
) =>
	new PreviousTries({
		getNode: () => ({ ...NODE, ...node }),
		getExecutionId: () => executionId,
		getInputData: () => input,
	});
const FAILED: INodeExecutionData[] = [{ json: { error: 'x' } }];

it('the next try finds what this one has kept, also in a slice of its items', () => {
	const input = items();
	const first = tryOf(input);
	first.kept<number>('kind').set('name', 1);
	first.endWith(FAILED);
	const next = tryOf(input.slice(0, 1)).kept<number>('kind');
	expect(next.get('name')).toBe(1);
	next.delete('name');
	expect(tryOf(input).kept('kind').get('name')).toBeUndefined();
});

it.each<[string, Parameters<typeof tryOf>[1]]>([
	['another execution', { executionId: 'other' }],
	['another node', { node: { id: 'other' } }],
	['other parameters', { node: { parameters: { a: 2 } } }],
	['a node without Retry On Fail', { node: { retryOnFail: false } }],
])('%s finds nothing', (_what, other) => {
	const input = items();
	tryOf(input).kept('kind').set('name', 1);
	expect(tryOf(input, other).kept('kind').get('name')).toBeUndefined();
});

it('kinds are kept apart, and so are executions with items of their own', () => {
	const input = items();
	tryOf(input).kept('kind').set('name', 1);
	expect(tryOf(input).kept('other').get('name')).toBeUndefined();
	expect(tryOf(items()).kept('kind').get('name')).toBeUndefined();
});

it.each<[string, IDataObject[], unknown]>([
	['first item has an error', [{ error: 'x' }, {}], 1],
	['other item has an error', [{}, { error: 'x' }], undefined],
	['first item is fine', [{}], undefined],
	['output is empty', [], undefined],
])('what is kept ends with a try after which n8n starts no other: the %s', (_what, json, kept) => {
	const input = items();
	const first = tryOf(input);
	first.kept('kind').set('name', 1);
	first.endWith(json.map((each) => ({ json: each })));
	expect(tryOf(input).kept('kind').get('name')).toBe(kept);
});

it('nothing is kept without Retry On Fail, or without items', () => {
	for (const tries of [tryOf(items(), { node: { retryOnFail: false } }), tryOf([])]) {
		tries.kept('kind').set('name', 1);
		expect(tries.kept('kind').get('name')).toBeUndefined();
		tries.endWith([]);
	}
});
