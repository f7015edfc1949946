import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** More numbers than these are no use to a model, such as the 384 of a vector. */
const MAX_NUMBERS = 16;
/** No result that a model can use is nested deeper. */
const MAX_DEPTH = 50;

/** Whether an AI agent runs the node: n8n gives its variant for agents a type of its own. */
export const isTool = (context: IExecuteFunctions): boolean =>
	context.getNode().type.endsWith('Tool');

/** What an AI agent gets of a result: the same without long lists of numbers, which are counted. */
export function forModel(json: IDataObject): IDataObject {
	return withoutNumbers(json, 0) as IDataObject;
}

function withoutNumbers(value: unknown, depth: number): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth > MAX_DEPTH) return '...';
	if (!Array.isArray(value)) {
		const members = Object.entries(value).map(([name, member]) => [
			name,
			withoutNumbers(member, depth + 1),
		]);
		return Object.fromEntries(members) as unknown;
	}
	const areNumbers = value.every((entry) => typeof entry === 'number');
	if (areNumbers && value.length > MAX_NUMBERS) return `${value.length} numbers`;
	return value.map((entry) => withoutNumbers(entry, depth + 1));
}
