import type { Item } from './execution';

/** A node of a workflow. */
export interface WorkflowNode {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
}

/** A workflow as its file and n8n's API have it. */
export interface Workflow {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	/** Output that nodes return without running, if the workflow is run by hand. */
	pinData?: Record<string, Item[]>;
	versionId?: string;
	active?: boolean;
}

/** A workflow that n8n has stored. */
export type StoredWorkflow = Workflow & { id: string };

/** A credential with its values. */
export interface CredentialValues {
	id: string;
	name: string;
	type: string;
	data: Record<string, unknown>;
}
