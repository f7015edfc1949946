/**
 * Tests that a response whose data could not be used is returned once, with one of the texts of its request. This also
 * applies if the first of these texts belongs to a document that has already failed, and if a later response ends the
 * job.
 */
import type { IDataObject } from 'n8n-workflow';

import { useChunkText } from '../../support/chunking';
import { CONTINUE, jsonOf } from '../../support/sandbox';

const { chunk, submits, answers, fault } = useChunkText();

const ready = (...chunkedData: IDataObject[]) => ({ status: 'READY', chunkedData });
const VECTOR = [{ vector: [1, 2] }];
const chunkOf = (text: string) => ({ chunks: [text], vectors: VECTOR });

/** What becomes of the document's first text, which has a request of its own. */
const EARLIER: Record<string, () => void> = {
	'is chunked': () => answers(ready(chunkOf('first'))),
	'is refused': () => fault('submit', { status: 400, whenBodyContains: 'xxx', times: 1 }),
	'fails without a response': () => answers({ status: 'ERROR' }),
	'fails with a response': () => answers(ready(chunkOf('too'), chunkOf('many'))),
};

/** The response for the document's second text and the text of another item. */
const RESPONSES: Record<string, { body: object; isAboutOther?: false; mode?: string }> = {
	'an unknown shape': { body: { status: 'READY', passages: [{ of: 'tomorrow' }] } },
	'an error with data': { body: { status: 'ERROR', chunkedData: [chunkOf('half')] } },
	'too few entries': { body: ready(chunkOf('second')) },
	'no entry that can be read': { body: ready({ odd: 1 }, { odd: 2 }) },
	'an entry of the other text that cannot be read': {
		body: ready(chunkOf('second'), { odd: 2 }),
	},
	'an entry of the document that cannot be read': {
		body: ready({ odd: 1 }, chunkOf('other')),
		isAboutOther: false,
	},
	'vectors that do not fit': {
		body: ready(
			{ chunks: ['a', 'b'], vectors: VECTOR },
			{ chunks: ['c', 'd'], vectors: VECTOR },
		),
	},
	'data before the end': { body: { status: 'SUBMITTED', chunkedData: [chunkOf('half')] } },
	'data before the end, for later': {
		body: { status: 'SUBMITTED', chunkedData: [chunkOf('half')] },
		mode: 'output',
	},
};

const ROWS = Object.entries(EARLIER).flatMap(([earlier, prepare]) =>
	Object.entries(RESPONSES).map(([what, row]) => ({ earlier, prepare, what, ...row })),
);

it.each(ROWS)(
	'$what is returned once if the first text $earlier',
	async ({ earlier, prepare, body, isAboutOther = true, mode = 'fail' }) => {
		prepare();
		fault('results', { status: 200, body: JSON.stringify(body) });
		const large = 'x'.repeat(996);
		const { output } = await chunk(
			[
				{ id: 'guide', name: 'Guide', text: [large, 'Page 2'] } as IDataObject,
				{ id: 'other', name: 'Other', text: 'Other' },
			],
			{
				output: 'documents',
				options: {
					...{ bytesPerRequest: 1000, textsPerRequest: 10, concurrency: 1 },
					...{ maxWaitSeconds: 2, whenTimeRunsOut: mode, keepSourceFields: 'none' },
				},
			},
			CONTINUE,
		);
		const responses = jsonOf(output).map(({ response }) => response);
		const kept = responses.filter((one) => JSON.stringify(one) === JSON.stringify(body));
		// One item can have only one response, and here the document is the only one that failed.
		const hasNoRoom = earlier === 'fails with a response' && !isAboutOther;
		expect(kept).toHaveLength(hasNoRoom ? 0 : 1);
		expect(responses.filter((one) => one !== undefined)).toHaveLength(
			earlier === 'fails with a response' && !hasNoRoom ? 2 : 1,
		);
		const items = new Set(output.map(({ pairedItem }) => JSON.stringify(pairedItem)));
		expect([...items]).toEqual(['{"item":0}', '{"item":1}']);
		expect(submits()).toHaveLength(2);
	},
);

/** A response with chunks that the node cannot use, because the job has not ended. */
const BEFORE_THE_END: Record<string, object> = {
	'an unknown status': { status: 'HALF_DONE', chunkedData: [chunkOf('half')] },
	'data before the end': { status: 'SUBMITTED', chunkedData: [chunkOf('half')] },
};
/** What ends the job. */
const ENDS: Record<string, object> = {
	'ERROR alone': { status: 'ERROR' },
	'ERROR with a message': { status: 'ERROR', message: 'no memory' },
	'ERROR with details': { status: 'ERROR', details: { code: 7, reason: 'no memory' } },
	'ERROR with an empty list': { status: 'ERROR', chunkedData: [] },
};

it.each(
	Object.entries(BEFORE_THE_END).flatMap(([what, body]) =>
		Object.entries(ENDS).map(([how, end]) => ({ what, body, how, end })),
	),
)('$what is kept if the next response is $how', async ({ body, end }) => {
	answers(body, end);
	const { output } = await chunk(
		[{ id: 'a', name: 'A', text: 'A text' }],
		{ options: { maxWaitSeconds: 60 } },
		CONTINUE,
	);
	expect(jsonOf(output)).toEqual([
		expect.objectContaining({ error: expect.any(String) as string, response: body }),
	]);
});
