import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { submitPath, type ChunkSettings } from '../shared/service/chunking';
import { InputError } from '../shared/service/input-error';

/** Members of the model config, and what stands for "leave it out". */
interface ModelSettings {
	customDataType?: string;
	dataType?: string;
	dimReductionSize?: number;
	vectorQuantizationMethod?: string;
}

/**
 * Reads how the text of an item is to be chunked (spec, Chunking request body). What the user left
 * empty is not part of it.
 *
 * @throws InputError for an empty model or chunker and for JSON that is no object
 */
export function readSettings(context: IExecuteFunctions, itemIndex: number): ChunkSettings {
	const parameter = (name: string) => context.getNodeParameter(name, itemIndex, '') as unknown;
	const model = (parameter('modelSettings') || {}) as ModelSettings;
	const chosen = String(parameter('chunker'));
	const chunker = chosen === 'custom' ? trimmed(parameter('chunkerName')) : chosen;
	const modelId = trimmed(parameter('modelId'));
	if (modelId === '') {
		throw new InputError(
			"'Model ID' is empty",
			'Enter the ID of an embedding model, e.g. gte-small.',
		);
	}
	if (chunker === '') {
		throw new InputError(
			"'Chunker Name' is empty",
			'Enter the name of a chunker of the service.',
		);
	}
	submitPath(chunker, modelId);

	const modelConfig: IDataObject = {};
	const { dimReductionSize, vectorQuantizationMethod: method } = model;
	if (method && method !== 'none') modelConfig.vectorQuantizationMethod = method;
	if (dimReductionSize) modelConfig.dimReductionSize = dimReductionSize;
	const dataType = model.dataType === 'custom' ? trimmed(model.customDataType) : model.dataType;
	const useCaseConfig: IDataObject = dataType && dataType !== 'notSent' ? { dataType } : {};

	return {
		scope: readScope(context, itemIndex),
		chunker,
		modelId,
		modelConfig,
		useCaseConfig,
		chunkerConfig: chunkerConfig(chosen, parameter),
		additionalFields: jsonObject(
			parameter('options.additionalFields'),
			'Additional Body Fields',
		),
	};
}

/**
 * The scope the node asks for.
 *
 * @throws InputError for an empty custom scope
 */
export function readScope(context: IExecuteFunctions, itemIndex: number): string {
	const chosen = trimmed(context.getNodeParameter('scope', itemIndex, ''));
	if (chosen !== 'custom') return chosen;
	const scope = trimmed(context.getNodeParameter('customScope', itemIndex, ''));
	if (scope !== '') return scope;
	throw new InputError("'Custom Scope' is empty", 'Enter a scope, or choose one of the list.');
}

function chunkerConfig(chunker: string, parameter: (name: string) => unknown): IDataObject {
	if (chunker === 'custom') return jsonObject(parameter('chunkerConfig'), 'Chunker Config');
	if (chunker !== 'regex-splitter') {
		const settings = Object.entries((parameter('chunkerSettings') || {}) as IDataObject);
		// Empty is what an expression gives that found nothing.
		return Object.fromEntries(settings.filter(([, value]) => (value ?? '') !== ''));
	}
	// Sent as it is: only Python can say whether it is valid.
	const regex = parameter('regex');
	return typeof regex === 'string' && regex !== '' ? { regex } : {};
}

function jsonObject(value: unknown, label: string): IDataObject {
	const text = typeof value === 'string' ? value.trim() : value;
	if (text === '' || text === undefined || text === null) return {};
	const parsed = typeof text === 'string' ? parse(text, label) : text;
	if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
		return parsed as IDataObject;
	}
	throw new InputError(
		`'${label}' is not a JSON object`,
		'Write it as {"name": value}, or leave it empty.',
	);
}

function parse(text: string, label: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw invalid(label, error as Error);
	}
}

const invalid = (label: string, { message }: Error): InputError =>
	new InputError(
		`'${label}' is not valid JSON: ${message}`,
		'Write it as {"name": value}, or leave it empty.',
	);

const trimmed = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
