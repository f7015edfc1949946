/** Numbers among the options: whatever an expression gives, no bound is lost. */
import type { IDataObject } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { mostAtOnce, useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import { indexes, jsonOf, nodeRunner } from '../../support/sandbox';

const { sandbox, chunk, getResults, polls, jobsEnded } = useChunkText();
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));
const documents = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `d${at}`, name: `Document ${at}`, at }));

beforeEach(() => {
	sandbox().faults.add({ route: 'push', latencyMs: 30 });
});

it.each([
	['nothing', '={{ $json.nope }}', 4],
	['null', '={{ null }}', 4],
	['an empty text', '={{ "" }}', 4],
	['a number as text', '={{ "2" }}', 2],
])('takes %s for a concurrency', async (_what, concurrency, most) => {
	const options = { concurrency, documentsPerRequest: 1 };
	const { output } = await push(documents(100), { options });
	expect(output).toHaveLength(100);
	const atOnce = mostAtOnce(sandbox().requests);
	expect(atOnce).toBeLessThanOrEqual(most);
	expect(atOnce).toBeGreaterThanOrEqual(Math.min(most, 2));
});

it.each<[string, string, string, string, string?]>([
	['bytesPerRequest', 'Bytes per Request', '={{ "5 MB" }}', '"5 MB"'],
	['documentsPerRequest', 'Documents per Request', '={{ [] }}', 'a list'],
	['documentsPerRequest', 'Documents per Request', '={{ 2.7 }}', '2.7', 'a whole number'],
	['concurrency', 'Concurrency', '={{ -5 }}', '-5', 'at least 1'],
	['concurrency', 'Concurrency', '={{ 1000 }}', '1000', 'at most 64'],
	['retryForSeconds', 'Retry For (Seconds)', '={{ NaN }}', 'NaN'],
	['timeoutSeconds', 'Request Timeout (Seconds)', '={{ true }}', 'true'],
])(
	'refuses %s that cannot be used before anything is sent',
	async (name, label, value, shown, expected = 'a number') => {
		const { error } = await push(documents(2), { options: { [name]: value } });
		expect(error?.message).toBe(`'${label}' must be ${expected}, but it is ${shown}`);
		expect(error?.description).toContain(`Correct '${label}'`);
		expect(sandbox().requests).toEqual([]);
	},
);

it('accepts a timeout that is not a whole number of milliseconds', async () => {
	sandbox().settings.resultsOnce = true;
	const submitted = await chunk([{ text: 'a' }], { operation: 'submit' });
	await jobsEnded();
	const { output } = await getResults(jsonOf(submitted.output), {
		options: { timeoutSeconds: 16.1 },
	});
	expect(output).toHaveLength(1);
	expect(polls()).toHaveLength(1);
});

it.each([
	['={{ "false" }}', '"false"'],
	['={{ "TRUE" }}', '"TRUE"'],
	['={{ "yes" }}', '"yes"'],
	['={{ null }}', 'null'],
	['={{ $json.missing }}', 'undefined'],
	['', '""'],
	[1, '1'],
])(
	'a dry run is nothing to guess: %j is refused before anything is sent',
	async (dryRun, shown) => {
		const { error } = await push(documents(1), { options: { dryRun } });
		expect(error?.message).toBe(`'Dry Run' must be true or false, but it is ${shown}`);
		expect(sandbox().requests).toEqual([]);
	},
);

it.each([
	['={{ "false" }}', { id: 'a', name: 'A', x: '' }],
	['={{ "TRUE" }}', { id: 'a', name: 'A' }],
	['={{ null }}', { id: 'a', name: 'A', x: '' }],
])('takes the text of another boolean for what it says: %s', async (dropEmpty, sent) => {
	await push([{ id: 'a', name: 'A', x: '' }], { options: { dropEmpty } });
	expect(sandbox().requests.map(({ body }) => body)).toEqual([sent]);
});

it('refuses text that is not a boolean', async () => {
	const { error } = await push(documents(1), { options: { dropEmpty: '={{ "yes" }}' } });
	expect(error?.message).toMatch(/' must be true or false, but it is "yes"$/);
	expect(sandbox().requests).toEqual([]);
});
