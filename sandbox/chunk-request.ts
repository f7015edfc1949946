import { CHUNKERS } from './chunkers';
import type { ChunkerConfig, ConfigRule } from './chunkers/types';
import { failure, isObject } from './http';
import type { ChunkRequest } from './jobs';
import type { SandboxSettings } from './types';
import { modelDimension, type Quantization } from './vectors';

/** What a member of chunkerConfig must be, in words, and its check. */
const RULES: Record<ConfigRule, readonly [words: string, check: (value: unknown) => boolean]> = {
	string: ['a string', (value) => typeof value === 'string'],
	boolean: ['a boolean', (value) => typeof value === 'boolean'],
	positive: ['an integer above 0', (value) => Number.isInteger(value) && Number(value) > 0],
	notNegative: [
		'an integer of 0 or more',
		(value) => Number.isInteger(value) && Number(value) >= 0,
	],
	cosine: [
		'a number from -1 to 1',
		(value) => typeof value === 'number' && value >= -1 && value <= 1,
	],
};

/** An optional object member of the body. */
function section(body: Record<string, unknown>, key: string): Record<string, unknown> {
	const value = body[key] ?? {};
	if (!isObject(value)) throw failure(400, `${key} must be an object`);
	return value;
}

/** An optional string member that is one of a few. */
function choice(
	from: Record<string, unknown>,
	path: string,
	key: string,
	allowed: readonly string[],
): string | undefined {
	const value = from[key];
	if (value === undefined) return undefined;
	if (typeof value !== 'string' || !allowed.includes(value)) {
		throw failure(400, `${path}.${key} must be one of ${allowed.join(', ')}`);
	}
	return value;
}

function textsOf(body: Record<string, unknown>): string[] {
	const { batch } = body;
	if (!Array.isArray(batch) || batch.length === 0) {
		throw failure(400, 'batch must be an array of at least one object');
	}
	return batch.map((entry: unknown, at) => {
		if (!isObject(entry) || typeof entry.text !== 'string') {
			throw failure(400, `batch[${at}] must be an object with a string text`);
		}
		return entry.text;
	});
}

function chunkerConfig(chunker: string, body: Record<string, unknown>): ChunkerConfig {
	const config = section(body, 'chunkerConfig');
	for (const [key, rule] of Object.entries(CHUNKERS[chunker]?.config ?? {})) {
		const [words, check] = RULES[rule];
		if (config[key] !== undefined && !check(config[key])) {
			throw failure(400, `chunkerConfig.${key} must be ${words}`);
		}
	}
	return config;
}

/**
 * Checks a chunking request (interface, "Chunking request body"; facts 1.2 and 1.3). Members that
 * are not known are let through, since the service may add some.
 * @throws HttpError 400 for a wrong body, 404 for an unknown chunker, 413 for too much text
 */
export function checkChunkRequest(
	chunker: string,
	modelId: string,
	body: unknown,
	settings: SandboxSettings,
): ChunkRequest {
	if (!Object.hasOwn(CHUNKERS, chunker)) {
		throw failure(404, `There is no chunker '${chunker}'`);
	}
	if (!isObject(body)) throw failure(400, 'The body must be a JSON object');
	const texts = textsOf(body);
	const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
	if (bytes > settings.chunkTextLimitBytes) {
		const limit = settings.chunkTextLimitBytes;
		throw failure(413, `The batch holds ${bytes} bytes of text, above the limit of ${limit}`);
	}
	const model = section(body, 'modelConfig');
	const quantization = choice(model, 'modelConfig', 'vectorQuantizationMethod', [
		'min-max',
		'max-scale',
	]) as Quantization;
	choice(section(body, 'useCaseConfig'), 'useCaseConfig', 'dataType', ['query', 'passage']);
	const full = modelDimension(modelId, settings);
	const dimension = model.dimReductionSize ?? full;
	if (!Number.isInteger(dimension) || Number(dimension) <= 0 || Number(dimension) > full) {
		throw failure(400, `modelConfig.dimReductionSize must be an integer from 1 to ${full}`);
	}
	const config = chunkerConfig(chunker, body);
	return { chunker, modelId, texts, config, dimension: Number(dimension), quantization };
}
