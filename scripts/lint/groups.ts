/**
 * Checks the node groups of the examples with n8n's own rules: connected, one entry, one exit, no trigger. n8n refuses to
 * save a workflow that breaks one of them.
 */
import type { IConnections, INode, INodeTypeDescription } from 'n8n-workflow';
import {
	GROUP_DESCRIPTION_MAX_LENGTH,
	isTriggerNodeType,
	summarizeTopLevelItems,
	validateWorkflowGroups,
} from 'n8n-workflow';

import type { Workflow } from '../../examples/src/parts/workflow';

/** An example with more nodes than this has groups. */
const MOST_NODES = 12;

/** The rules need to know only whether a node is a trigger. Without an answer, n8n checks hardly anything. */
const getNodeType = ({ type }: INode) =>
	({ group: [isTriggerNodeType(type) ? 'trigger' : 'transform'] }) as INodeTypeDescription;

/** Returns a line for each group that n8n refuses or shortens, and for each example that needs groups. */
export function groupFaults({ name, nodes, connections, nodeGroups }: Workflow): string[] {
	const result = validateWorkflowGroups({
		nodes: nodes as unknown as INode[],
		connectionsBySourceNode: connections as IConnections,
		...{ nodeGroups, getNodeType },
	});
	const long = nodeGroups.filter(
		({ description }) => description.length > GROUP_DESCRIPTION_MAX_LENGTH,
	);
	const { total, ungroupedNodeNames } = summarizeTopLevelItems({
		...{ nodes, nodeGroups, connectionsBySourceNode: connections as IConnections },
	});
	return [
		...(result.valid ? [] : result.violations.map(({ message }) => `${name}: ${message}`)),
		...long.map(
			(group) =>
				`${name}: the description of '${group.name}' has ${group.description.length} characters, and n8n shows ${GROUP_DESCRIPTION_MAX_LENGTH}`,
		),
		...(total > MOST_NODES
			? [
					`${name}: ${total} boxes at first view, for example ${ungroupedNodeNames.join(', ')}`,
				]
			: []),
	];
}
