/** Tests credentials that were pasted together with characters that cannot be seen. */
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useChunkText, texts } from '../../support/chunking';
import { runNode } from '../../support/engine';
import { useRawServer } from '../../support/raw-server';

const { sandbox, chunk, credentials } = useChunkText();
const { requests, url } = useRawServer();

it.each(['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u00a0', '\u202f', '\u2007'])(
	'%j around secrets, IDs and URLs is not sent',
	async (invisible) => {
		const around = (value: unknown) =>
			typeof value === 'string' && value !== '' ? `${invisible}${value}${invisible} ` : value;
		const all = Object.fromEntries(
			Object.entries(credentials()).map(([type, fields]) => [
				type,
				Object.fromEntries(
					Object.entries(fields).map(([name, value]) => [
						name,
						name === 'authentication' ? (value as string) : (around(value) as string),
					]),
				),
			]),
		);
		const chunked = await chunk(texts(1), {}, { credentials: all });
		expect(chunked.error).toBeUndefined();
		const items = [{ id: 'a', name: 'A' }];
		const pushed = await runNode({ node: new PushDocuments(), items, credentials: all });
		expect(pushed.error).toBeUndefined();
		expect(sandbox().requests.every(({ status }) => status === 200)).toBe(true);
	},
);

it.each([
	['\u200bme\ufeff', ' p\u00a0', 'me: p\u00a0'],
	[' me ', '  ', 'me:  '],
])('user %j is trimmed, and password %j is not', async (user, password, login) => {
	const { lucidworksBlobApi, ...others } = credentials();
	const baseUrl = `\u200b${url()}\u2060 `;
	const basic = { ...lucidworksBlobApi, baseUrl, authentication: 'basic', user, password };
	await runNode({
		node: new MigrateBlobs(),
		parameters: { confirm: true },
		credentials: { ...others, lucidworksBlobApi: basic },
	});
	expect(requests.map(({ headers }) => headers.authorization)).toEqual([
		`Basic ${Buffer.from(login).toString('base64')}`,
	]);
});
