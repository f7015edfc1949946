/** @import { Item } from '../parts/types' */

const { isOfService } = require('./shared/outage');

/**
 * @typedef {{ message?: string, description?: string, node?: { type?: string } }} Failure
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
	const message = error?.message ?? 'n8n does not say why.';
	// A Stop and Error node passes on what a node of this package has said.
	const isOurs =
		String(error?.node?.type).includes('n8n-nodes-search-ingest') ||
		/\b(?:documents|records) failed\b/i.test(message) ||
		(String(error?.node?.type).endsWith('.stopAndError') && isOfService(message));
	const lines = [
		`${workflow.name} failed${node ? ` in '${node}'` : ''}.`,
		message,
		error?.description,
		execution?.url && `The run: ${execution.url}`,
		isOurs && `The service: ${statusPage}`,
	];
	return [{ json: { text: lines.filter((line) => line).join('\n') } }];
};
