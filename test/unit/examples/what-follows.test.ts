import texts from '../../../examples/src/code/texts';
import whatFollows from '../../../examples/src/code/what-follows';

type Inputs = Parameters<typeof whatFollows>[0];

const ok = (body?: unknown) => ({ statusCode: 200, headers: {}, body });
const entries = { data: { batch: Array.from({ length: 33 }, () => ({})) } };

const usual: Inputs = {
	...{ submitted: ok({ chunkingId: 'c' }), atOnce: ok({ status: 'SUBMITTED' }) },
	...{ results: ok(entries), again: ok(entries), pushed: ok(''), deleted: ok(), unknown: ok() },
	testId: 'check',
};

const follows = (question: string, inputs: Partial<Inputs> = {}) => {
	const rows = whatFollows({ ...usual, ...inputs }).map(({ json }) => json);
	const row = rows.find((one) => one.question.startsWith(question));
	return `${row?.answer} / ${row?.follows}`;
};

const failed = { statusCode: 503, body: 'busy' };

test.each<[question: string, inputs: Partial<Inputs>, expected: string]>([
	[
		'Are 33 texts',
		{},
		'Status 200: {"chunkingId":"c"} / Texts per Request of Chunk Text may be 33',
	],
	['Are 33 texts', { submitted: failed }, 'Status 503: busy / Check the AI Service URL'],
	['Are 33 texts', { results: ok([1, 2]) }, 'The results have 2 of 33 entries'],
	['What is there before', {}, '{"status":"SUBMITTED"} / Nothing to set'],
	['What is there before', { atOnce: ok([1]) }, 'They were ready at once'],
	['What is there before', { atOnce: failed }, 'found out what status 503 means'],
	['Are results there', {}, 'Status 200, 33 entries / Nothing to set'],
	['Are results there', { results: ok({ status: 'SUBMITTED' }) }, 'the service is slow'],
	['Do results come', {}, 'Get Results may be repeated'],
	['Do results come', { again: ok({ status: 'RETRIEVED' }) }, 'Results come once'],
	['Do results come', { results: failed }, 'Unknown, since'],
	['What does a push', {}, ', no body / The response names no document'],
	['What does a push', { pushed: ok([{ id: 'check' }]) }, 'The response names documents'],
	['What does a push', { pushed: failed }, 'Check the push URL and the key'],
	['What does a delete', {}, 'Status 200, no body / Nothing to set'],
	['What does a delete', { deleted: failed }, 'The test document is still there'],
	['What does the delete of', {}, 'does not tell whether a document existed'],
	['What does the delete of', { unknown: { statusCode: 404 } }, 'Turn on Ignore Not Found'],
	['What does the delete of', { unknown: failed }, 'reports this as a failure'],
	['Do headers', {}, 'No / Nothing to set'],
	[
		'Do headers',
		{ pushed: { ...ok(), headers: { 'X-RateLimit-Limit': '60' } } },
		'X-RateLimit-Limit: 60 / Enter it as Max Requests per Minute',
	],
])('%s: %#', (question, inputs, expected) => {
	expect(follows(question, inputs)).toContain(expected);
});

test('the texts to check differ', () => {
	const [{ json }] = texts({ count: 33 });
	expect(new Set(json.texts.map(({ text }) => text)).size).toBe(33);
});
