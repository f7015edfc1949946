/** @import { Item } from '../parts/types' */

/**
 * @typedef {{ message?: string, description?: string }} Failure
 * @typedef {{ lastNodeExecuted?: string, url?: string, error?: Failure }} Execution
 */

/**
 * @param {{ failure: { workflow: { name: string }, execution?: Execution, trigger?: { error?: Failure } }, statusPage: string }} inputs
 * @returns {[Item<{ text: string }>]}
 */
module.exports = ({ failure, statusPage }) => {
	// The message: what failed and where, why, and what to look at. A line without text is left out.
	const { workflow, execution, trigger } = failure;
	const error = execution?.error ?? trigger?.error;
	const node = execution?.lastNodeExecuted;
	const lines = [
		`${workflow.name} failed${node ? ` in '${node}'` : ''}.`,
		error?.message ?? 'n8n does not say why.',
		error?.description,
		execution?.url && `The run: ${execution.url}`,
		`The service: ${statusPage}`,
	];
	return [{ json: { text: lines.filter((line) => line).join('\n') } }];
};
