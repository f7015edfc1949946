import fc from 'fast-check';

import {
	checkResultsPath,
	DEFAULT_RESULTS_PATH,
	resultsPath,
	submitBody,
	submitPath,
	type ChunkSettings,
} from '../../../nodes/shared/service/chunking/chunking';
import { InputError } from '../../../nodes/shared/service/input-error';
import { PATHS } from '../../../nodes/shared/service/url';
import { anyText } from '../support/text';

const settings: ChunkSettings = {
	chunker: 'regex-splitter',
	modelId: 'gte-small',
	modelConfig: {},
	useCaseConfig: {},
	chunkerConfig: {},
	additionalBodyFields: {},
};
const body = (changes: Partial<ChunkSettings>, texts = ['one']): unknown =>
	JSON.parse(
		submitBody(
			{ ...settings, ...changes },
			texts.map((text) => ({ text })),
		),
	);

describe('paths', () => {
	test('the chunker and the model are one segment each', () => {
		expect(submitPath('a/b', 'c?d')).toBe(`${PATHS.chunking}/a%2Fb/c%3Fd`);
		expect(() => submitPath('..', 'gte-small')).toThrow("'Chunker' must not be");
		expect(() => submitPath('semantic', '')).toThrow("'Model ID' is empty");
	});

	test('the chunking ID is only encoded in the results path', () => {
		expect(resultsPath(DEFAULT_RESULTS_PATH, 'a/b')).toBe(`${PATHS.chunking}/a%2Fb`);
		// String.replace would give the characters `$&` a special meaning.
		expect(resultsPath('/x/{chunkingId}/y/{chunkingId}', "$&$'")).toBe(
			"/x/%24%26%24'/y/%24%26%24'",
		);
	});

	test.each([
		'ai/{chunkingId}',
		'/ai/results',
		'',
		'https://a.example/{chunkingId}',
		'/ai/{chunkingId}?full=true',
		'/ai/{chunkingId}#top',
		'/ai\\{chunkingId}',
		'/a b/{chunkingId}',
	])('results path %j is refused', (template) => {
		expect(() => checkResultsPath(template)).toThrow(InputError);
	});

	test.each(['', '..'])('chunking ID %j is refused', (id) => {
		expect(() => resultsPath(DEFAULT_RESULTS_PATH, id)).toThrow(InputError);
	});
});

describe('submitBody', () => {
	test('empty settings are omitted', () => {
		expect(body({}, ['one', 'two'])).toEqual({ batch: [{ text: 'one' }, { text: 'two' }] });
	});

	test('each setting goes into the body under its own name', () => {
		const changes = {
			modelConfig: { dimReductionSize: 256 },
			useCaseConfig: { dataType: 'query' },
			chunkerConfig: { regex: '\\n' },
		};
		expect(body(changes)).toEqual({ batch: [{ text: 'one' }], ...changes });
	});

	test('additional fields add to the body and its configs but replace nothing', () => {
		const sent = body({
			modelConfig: { dimReductionSize: 256 },
			additionalBodyFields: {
				batch: 'mine',
				modelConfig: { dimReductionSize: 1, newer: true },
				tomorrow: [1],
			},
		});
		expect(sent).toEqual({
			batch: [{ text: 'one' }],
			modelConfig: { dimReductionSize: 256, newer: true },
			tomorrow: [1],
		});
	});

	test('a config without members is not sent, whether it comes from settings or additional fields', () => {
		const additionalBodyFields = {
			modelConfig: {},
			useCaseConfig: {},
			chunkerConfig: {},
			other: {},
		};
		expect(body({ additionalBodyFields })).toEqual({ batch: [{ text: 'one' }], other: {} });
	});

	test('a pattern and any text arrive as they were typed', () => {
		fc.assert(
			fc.property(anyText, anyText, (text, regex) => {
				const sent = body({ chunkerConfig: { regex } }, [text]);
				expect(sent).toEqual({ batch: [{ text }], chunkerConfig: { regex } });
			}),
		);
	});
});
