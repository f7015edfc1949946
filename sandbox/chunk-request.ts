import { MAX_CHUNK_TEXT_BYTES } from '../nodes/shared/service/chunking/chunking';
import { CHUNKERS } from './chunkers';
import { failure } from './http';
import type { ChunkRequest } from './jobs';
import type { Static } from './schema';
import type { SandboxSettings } from './settings';

/*
 * The schema of a submission's body, except `chunkerConfig`. Unknown properties are allowed, because the service might
 * add new ones.
 */
const SUBMISSION = {
	type: 'object',
	required: ['batch'],
	properties: {
		batch: {
			type: 'array',
			minItems: 1,
			items: {
				type: 'object',
				required: ['text'],
				properties: { text: { type: 'string' } },
			},
		},
		modelConfig: {
			type: 'object',
			properties: {
				dimReductionSize: { type: 'integer', minimum: 1 },
				vectorQuantizationMethod: { enum: ['min-max', 'max-scale'] },
			},
		},
		useCaseConfig: {
			type: 'object',
			properties: { dataType: { enum: ['query', 'passage'] } },
		},
	},
} as const;

export type Submission = Static<typeof SUBMISSION> & { chunkerConfig?: Record<string, unknown> };

export const submissionSchema = (chunker: string) => ({
	...SUBMISSION,
	properties: {
		...SUBMISSION.properties,
		chunkerConfig: { type: 'object', properties: CHUNKERS[chunker].config },
	},
});

/**
 * Turns a validated submission into a job request.
 * @throws HttpError 413 if there is too much text, 404 if the model is unknown, 400 if the model has fewer
 * dimensions than requested
 */
export function toChunkRequest(
	chunker: string,
	modelId: string,
	{ batch, modelConfig = {}, chunkerConfig = {} }: Submission,
	settings: SandboxSettings,
): ChunkRequest {
	const texts = batch.map(({ text }) => text);
	const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
	if (bytes > MAX_CHUNK_TEXT_BYTES) {
		throw failure(413, `The batch holds ${bytes} bytes of text, above the limit`);
	}
	if (settings.models?.includes(modelId) === false)
		throw failure(404, `There is no model '${modelId}'`);
	const { vectorSize: full, vectorsFromWords } = settings;
	const { dimReductionSize: size = full, vectorQuantizationMethod: quantization } = modelConfig;
	if (size > full) {
		throw failure(400, `modelConfig.dimReductionSize must be an integer from 1 to ${full}`);
	}
	return {
		chunker,
		modelId,
		texts,
		config: chunkerConfig,
		vectorShape: { size, quantization, vectorsFromWords },
	};
}
