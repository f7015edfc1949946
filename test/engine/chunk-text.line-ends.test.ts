/** Tests the default regular expression with the line ends of Windows, Unix and both. */
import { useFiles } from '../../support/binary-data';
import { textsOf, useChunkText } from '../../support/chunking';
import { jsonOf } from '../../support/sandbox';

const files = useFiles();
const { chunk, submits } = useChunkText();

const BY_DEFAULT = { chunker: 'regex-splitter', output: 'chunks' };

describe.each([
	['Windows', 'Pears\r\nPlums\r\n\r\nQuinces\r\n \t\r\n\r\nCherries', 'Pears\r\nPlums'],
	['Unix', 'Pears\nPlums\n\nQuinces\n \t\n\nCherries', 'Pears\nPlums'],
	['mixed', 'Pears\nPlums\r\n\nQuinces\n\r\nCherries', 'Pears\nPlums'],
])('%s line ends', (_system, text, first) => {
	it.each([
		['items', async () => [{ id: 'a', name: 'A', text }] as never, {}],
		[
			'records',
			async () => [await files.item(JSON.stringify({ text }), 'a.jsonl')],
			{ textSource: 'file' },
		],
		['text files', async () => [await files.item(text, 'a.txt')], { textSource: 'textFile' }],
	])('in %s: chunks end before the line end', async (_road, items, source) => {
		const { output } = await chunk(await items(), { ...BY_DEFAULT, ...source });
		const chunks = jsonOf(output).filter((json) => 'text' in json);
		expect(textsOf(chunks)).toEqual([first, 'Quinces', 'Cherries']);
		expect(submits().map(({ body }) => body)).toMatchObject([
			{ chunkerConfig: { regex: '\\r?\\n\\s*\\n' } },
		]);
	});
});
