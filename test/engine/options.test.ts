/** Numbers among the options: whatever an expression gives, no bound is lost. */
import type { IDataObject } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { mostAtOnce, useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import { indexes, jsonOf, nodeRunner, useSandbox } from '../../support/sandbox';

const sandbox = useSandbox();
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));
const { getResults, chunk, looks, jobsEnded } = useChunkText(sandbox);
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
	['too little', '={{ -5 }}', 1],
	['too much', '={{ 1000 }}', 64],
])('takes %s for a concurrency within the bounds', async (_what, concurrency, most) => {
	const options = { concurrency, documentsPerRequest: 1 };
	const { output } = await push(documents(100), { options });
	expect(output).toHaveLength(100);
	const atOnce = mostAtOnce(sandbox().requests);
	expect(atOnce).toBeLessThanOrEqual(most);
	expect(atOnce).toBeGreaterThanOrEqual(Math.min(most, 2));
});

it.each([
	['bytesPerRequest', 'Bytes per Request', '={{ "5 MB" }}', '"5 MB"'],
	['documentsPerRequest', 'Documents per Request', '={{ [] }}', 'a list'],
	['maxAttempts', 'Max Attempts', '={{ NaN }}', 'NaN'],
	['timeoutSeconds', 'Request Timeout (Seconds)', '={{ true }}', 'true'],
])('refuses %s that is no number before anything is sent', async (name, label, value, shown) => {
	const { error } = await push(documents(2), { options: { [name]: value } });
	expect(error?.message).toBe(`'${label}' must be a number, but it is ${shown}`);
	expect(error?.description).toContain(`Correct '${label}'`);
	expect(sandbox().requests).toEqual([]);
});

it('takes a time-out that is no whole number of milliseconds', async () => {
	sandbox().settings.resultsOnce = true;
	const submitted = await chunk([{ text: 'a' }], { operation: 'submit' });
	await jobsEnded();
	const { output } = await getResults(jsonOf(submitted.output), {
		options: { timeoutSeconds: 16.1 },
	});
	expect(output).toHaveLength(1);
	expect(looks()).toHaveLength(1);
});
