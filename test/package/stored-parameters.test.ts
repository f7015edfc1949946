/**
 * Checks that workflows and credentials saved with an earlier release keep their meaning (CONTRIBUTING.md,
 * Versions of nodes).
 */
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { currentLists, listsOf, missingLines, storedLists } from '../../scripts/stored-parameters';

/**
 * Returns the description of a node whose version 1.1 renamed a parameter. `old` is the parameter before the rename.
 */
const renamed = (version: number | number[], old: INodeProperties): INodeTypeDescription =>
	({
		name: 'example',
		version,
		properties: [
			old,
			{
				displayName: 'New',
				name: 'new',
				type: 'string',
				default: '',
				displayOptions: { show: { '@version': [{ _cnd: { gte: 1.1 } }] } },
			},
			{ displayName: 'Notice', name: 'notice', type: 'notice', default: '' },
		],
	}) as unknown as INodeTypeDescription;
const OLD: INodeProperties = { displayName: 'Old', name: 'old', type: 'number', default: 5 };
const onlyIn1 = { displayOptions: { show: { '@version': [1] } } };

describe('a list of stored parameters', () => {
	it('contains exactly the parameters of its version of the node', () => {
		const description = renamed([1, 1.1], { ...OLD, ...onlyIn1 });
		expect([...listsOf({ description })]).toEqual([
			['example.1', ['old: number, default 5']],
			['example.1.1', ['new: string, default ""']],
		]);
	});

	it.each<[string, INodeTypeDescription]>([
		[
			'was removed',
			renamed([1, 1.1], { ...OLD, displayOptions: { show: { '@version': [1.1] } } }),
		],
		['was renamed', renamed([1, 1.1], { ...OLD, name: 'other' })],
		['has another default', renamed([1, 1.1], { ...OLD, default: 6 })],
		['has another type', renamed([1, 1.1], { ...OLD, type: 'string' })],
		['belongs to a version that is gone', renamed(1.1, OLD)],
	])('shows that a parameter %s', (_case, description) => {
		const released = listsOf({ description: renamed([1, 1.1], { ...OLD, ...onlyIn1 }) });
		expect(missingLines(released, listsOf({ description }))).toEqual([
			'example.1: old: number, default 5',
		]);
	});
});

it('no version of a node and no credential has lost a parameter, a default or a choice', async () => {
	const stored = storedLists();
	expect([...stored.values()].flat().length).toBeGreaterThan(150);
	// If this assertion fails, a line of a stored list no longer occurs in the code. Saved workflows would behave
	// differently, so the node needs a new version. If the line has never been released, delete it from the list
	// instead.
	expect(missingLines(stored, await currentLists())).toEqual([]);
});

it('the lists contain every parameter, default and choice (npm run docs)', async () => {
	expect(missingLines(await currentLists(), storedLists())).toEqual([]);
});
