import website from '../../../examples/src/sync-of-a-website';
import type { Workflow } from '../../../examples/src/parts/workflow';
import { groupFaults } from '../../../scripts/lint/groups';

/** Returns a copy of the example with another group or another connection. */
function changed(change: (workflow: Workflow) => void): Workflow {
	const copy = structuredClone(website);
	change(copy);
	return copy;
}

const idOf = ({ nodes }: Workflow, name: string) => {
	const node = nodes.find((each) => each.name === name);
	if (!node) throw new Error(`there is no node '${name}'`);
	return String(node.id);
};

const groupOf = ({ nodeGroups }: Workflow, name: string) => {
	const group = nodeGroups.find((each) => each.name === name);
	if (!group) throw new Error(`there is no group '${name}'`);
	return group;
};

test('the groups of an example have no faults', () => {
	expect(website.nodeGroups.length).toBeGreaterThan(3);
	expect(groupFaults(website)).toEqual([]);
});

test.each<[string, (workflow: Workflow) => void, string]>([
	[
		'a connection out of the middle of a group',
		({ connections }) => {
			connections['Push Documents'].main[0].push({
				node: 'Settings',
				type: 'main',
				index: 0,
			});
		},
		'output edge from non-leaf node: "Push Documents"',
	],
	[
		'a trigger in a group',
		(workflow) => {
			const { nodeIds } = groupOf(workflow, 'Begin the Batch');
			nodeIds.push(idOf(workflow, 'When Called by Itself'));
		},
		'cannot contain trigger nodes: When Called by Itself',
	],
	[
		'a node that is in two groups',
		(workflow) => {
			const { nodeIds } = groupOf(workflow, 'Begin the Batch');
			nodeIds.push(idOf(workflow, 'Documents'));
		},
		'belongs to multiple groups',
	],
	[
		'a description that n8n would cut off',
		(workflow) => {
			groupOf(workflow, 'Begin the Batch').description = 'x'.repeat(146);
		},
		'has 146 characters, and n8n shows 145',
	],
	[
		'too many boxes at first view',
		(workflow) => {
			workflow.nodeGroups = workflow.nodeGroups.slice(1);
		},
		'boxes at first view',
	],
])('%s is a fault', (_what, change, message) => {
	const faults = groupFaults(changed(change));
	expect(faults.join('\n')).toContain(message);
});
