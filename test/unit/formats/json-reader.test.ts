import { Readable } from 'node:stream';

import fc from 'fast-check';

import { JsonReader } from '../../../nodes/shared/formats/json-reader';
import { runs } from '../../../support/runs';
import { Variations } from '../../../support/variations';
import { brief, cut, lengths, readAll } from './support';

const PRETTY = `{
  "total": 2, "skipped": [1, {"documents": [9]}, "]"],
  "items": {
    "more": {"docs": []},
    "docs": [
      {"id": "a",
       "tags": ["x", "]}"]},
      "b\\"]",

      3 , null
    ]
  },
  "after": [{}]
}
`;

describe('path', () => {
	test('reads the elements of the list at a path, with their number, line and text', () => {
		const records = [
			'1@6 {"id": "a",\n       "tags": ["x", "]}"]} -> {"id":"a","tags":["x","]}"]}',
			'2@8 "b\\"]" -> "b\\"]"',
			'3@10 3 -> 3',
			'4@10 null -> null',
		];
		for (const cuts of [[1000], [1], [7]]) {
			expect(brief(new JsonReader('items.docs'), PRETTY, cuts)).toStrictEqual({
				records,
			});
		}
	});

	test.each([
		['', '[1,[2],{"a":3}]', ['1@1 1 -> 1', '2@1 [2] -> [2]', '3@1 {"a":3} -> {"a":3}']],
		['', ' {"a":[1]} ', ['1@1 {"a":[1]} -> {"a":[1]}']],
		['', '[]', []],
		['a', '{"a":[]}', []],
		['a', '{"b":{"a":[1]},"a":[2]}', ['1@1 2 -> 2']],
		['a.b', '{"a":5,"a.b":[1]}', ['1@1 1 -> 1']],
		['a.b.c', '{"a":{"b":1,"b.c":[1]}}', ['1@1 1 -> 1']],
		['a.b', '{"a":{"c":[1]},"a.b":[2]}', ['1@1 2 -> 2']],
		['a.b', '{"ab":[1],"a":{"b":[2],"x":{"b":[3]}},"b":[4]}', ['1@1 2 -> 2']],
		['a', '{"a":[1],"b":0,"a":[2]}', ['1@1 1 -> 1']],
		[
			'',
			'\n{"a":1}\n\n{"a":2}\n{"a":}\n',
			[
				'1@2 {"a":1} -> {"a":1}',
				'2@4 {"a":2} -> {"a":2}',
				expect.stringContaining('3@5 {"a":} !! Line 5 is not valid JSON') as string,
			],
		],
		[
			'',
			'[1,\n{"a":tru},3]',
			[
				'1@1 1 -> 1',
				expect.stringContaining(
					'2@2 {"a":tru} !! Record 2 (line 2) is not valid JSON',
				) as string,
				'3@2 3 -> 3',
			],
		],
		['é', '{"\\u00e9":[1]}', ['1@1 1 -> 1']],
	])('%j in %s', (path, text, records) => {
		for (const cuts of [[1000], [1]]) {
			expect(brief(new JsonReader(path), text, cuts)).toStrictEqual({ records });
		}
	});

	test.each([
		['', '', '1@1 The file is empty'],
		['a', ' \n ', '1@2 The file is empty'],
		['', '"text"', '1@1 The file is neither a JSON list nor a JSON object'],
		['a', '{"b":[1]}\n', '1@2 The file has no list at "a"'],
		['a', '[{"a":[1]}]', '1@1 The file has no list at "a"'],
		['a.b', '{"a":[{"b":[1]}]}', '1@1 The file has no list at "a.b"'],
		['a.b', '{"a":{"b":\n{}}}', '1@2 "a.b" is not a list (line 2)'],
		['a', '{"a":null}', '1@1 "a" is not a list (line 1)'],
	])('%j in %j: %s', (path, text, error) => {
		expect(brief(new JsonReader(path), text)).toStrictEqual({ records: [], error });
	});
});

describe('a broken file', () => {
	test.each([
		['[1,\n{"a":1]', /^2@2 Record 2 \(line 2\) is not valid JSON: the text ends early$/],
		['[1,\n{"a":', /^2@2 Record 2 \(line 2\) is not valid JSON: the text ends early$/],
		['[1,2', /^2@1 Record 2 \(line 1\) is not valid JSON: the text ends early$/],
		['[1,\n', /^2@. .* the text ends early$/],
		['[1]\n[2]', /^2@2 The file has more text after the end of its JSON \(line 2\)$/],
	])('%j ends the file, and the records before it are returned', (text, message) => {
		for (const cuts of [[1000], [1]]) {
			const { records, error } = brief(new JsonReader(), text, cuts);
			expect(records).toStrictEqual(['1@1 1 -> 1']);
			expect(error).toMatch(message);
		}
	});

	test.each([
		['<html>', 'The file is neither a JSON list nor a JSON object'],
		['{"a":[', 'Record 1 (line 1) is not valid JSON: the text ends early'],
		[
			'{\n"a":1}\n{\n"a":2}',
			'The file has several objects that span several lines each (line 3)',
		],
	])('%j has no records', (text, message) => {
		for (const cuts of [[1000], [1]]) {
			const { records, error } = readAll(new JsonReader(), text, cuts);
			expect(records).toStrictEqual([]);
			expect((error as Error).message).toBe(message);
		}
	});

	test('objects that span several lines lead to advice', () => {
		const { error } = readAll(new JsonReader(), '{\n"a":1}\n{\n"a":2}');
		const advice = 'Write each object on one line, for example with jq -c .';
		expect(error).toMatchObject({ advice });
	});

	test.each([
		['[1,{"a":{}}', ['1', '{"a":{}}']],
		['[1,{"a":{}', ['1']],
		['[1,"{}', ['1']],
		['[1,2', ['1']],
		['{"a":{}}', ['{"a":{}}']],
	])('%j cannot be read to its end, but its complete records are returned', (text, found) => {
		const reader = new JsonReader();
		expect([...reader.push(text), ...reader.end(true)].map((each) => each.text)).toEqual(found);
	});

	test('ends if an element becomes too long; skipped content may have any length', () => {
		const long = `"${'x'.repeat(70_000_000)}"`;
		const { records, error } = readAll(new JsonReader('a'), `{"b":${long},"a":[1,${long}`, [
			10_000_000,
		]);
		expect(records).toHaveLength(1);
		expect(error).toMatchObject({ record: 2, line: 1 });
		expect((error as Error).message).toMatch('longer than 64 MB');
	});
});

/** Returns the values that the stream-json library finds. */
async function peer(text: string, cuts: number[]): Promise<unknown[]> {
	const [{ chain }, { parser }, { pick }, { streamArray }] = await Promise.all([
		import('stream-chain'),
		import('stream-json/parser.js'),
		import('stream-json/filters/pick.js'),
		import('stream-json/streamers/stream-array.js'),
	]);
	const found: unknown[] = [];
	const source = Readable.from(cut(Buffer.from(text), cuts), { objectMode: false });
	const stream = chain([parser(), pick({ filter: 'data.docs' }), streamArray()]);
	source.pipe(stream);
	for await (const { value } of stream as unknown as AsyncIterable<{ value: unknown }>)
		found.push(value);
	return found;
}

test('finds the same as stream-json, however the text is cut', async () => {
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 5 }),
			fc.jsonValue({ maxDepth: 2 }),
			lengths,
			fc.constantFrom(undefined, 2, '\t'),
			async (docs, other, cuts, indent) => {
				const text = JSON.stringify(
					{ other, data: { x: [other], docs }, last: other },
					null,
					indent,
				);
				const inDocs = JSON.stringify(docs).slice(1, -1);
				variations.note({
					'an object': /^\{|,\{/.test(inDocs),
					'a list': /^\[|,\[/.test(inDocs),
					'a string': /^"|,"/.test(inDocs),
					'an escape': inDocs.includes('\\'),
					'an empty list': docs.length === 0,
					indentation: indent !== undefined,
				});
				const { records, error } = readAll(new JsonReader('data.docs'), text, cuts);
				expect(error).toBeUndefined();
				const values = records.map(({ value }) => value);
				expect(JSON.stringify(values)).toBe(JSON.stringify(docs));
				expect(records.map((each) => JSON.parse(each.text) as unknown)).toStrictEqual(
					values,
				);
				for (const { line, text: verbatim } of records) {
					expect(
						text
							.split('\n')
							.slice(line - 1)
							.join('\n'),
					).toContain(verbatim);
				}
				expect(JSON.stringify(await peer(text, cuts))).toBe(JSON.stringify(docs));
			},
		),
		{ numRuns: runs(100) },
	);
	expect(variations.rarerThan(2)).toEqual([]);
});
