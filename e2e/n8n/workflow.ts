import type { Item } from './execution';

export interface WorkflowNode {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
}

/** A workflow, as in files and in n8n's API. */
export interface Workflow {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	/** In an execution by hand, these nodes do not run, but return these items. */
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
