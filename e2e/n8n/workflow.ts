import type { Item } from './execution';

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
}

export interface Workflow {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	nodeGroups?: Array<{ id: string; name: string; description?: string; nodeIds: string[] }>;
	settings?: Record<string, unknown>;
	/**
	 * Pinned output, keyed by node name. When a user runs the workflow by hand, a node with pinned output returns this
	 * output without running.
	 */
	pinData?: Record<string, Item[]>;
	versionId?: string;
	active?: boolean;
}

export type StoredWorkflow = Workflow & { id: string };

export interface CredentialValues {
	id: string;
	name: string;
	type: string;
	data: Record<string, unknown>;
}
