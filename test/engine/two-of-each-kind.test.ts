/**
 * Tests documents with two values of each special kind. Code that stops after the first one, or keeps only the last one,
 * passes every test whose documents have only one.
 */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { Session } from '../../nodes/shared/session/session';
import { useFiles } from '../../support/binary-data';
import { jsonOf, useNodes } from '../../support/sandbox';

const files = useFiles();
const push = useNodes().runnerOf(new PushDocuments());

/** Returns the body of the only request, as it is sent. */
async function sentBy(
	items: IDataObject[] | INodeExecutionData[],
	parameters: INodeParameters,
): Promise<string> {
	const request = jest.spyOn(Session.prototype, 'request');
	const { error, output } = await push(items, parameters);
	expect(error).toBeUndefined();
	expect(jsonOf(output)).toHaveLength(1);
	expect(request).toHaveBeenCalledTimes(1);
	const [[{ body = '' }]] = request.mock.calls;
	request.mockRestore();
	return Buffer.from(body).toString();
}

const NAMED = '"id":"a","name":"A"';
/** A short string counts as a vector only in the field `vector`. */
const HALVES = new Float32Array(16).fill(0.5);
const ONES = new Uint8Array(60).fill(1);
const packed = (kind: string, { buffer }: Float32Array | Uint8Array) =>
	`${kind}:${Buffer.from(buffer).toString('base64')}`;
const VECTORS = `"one":"${packed('i8', ONES)}","vector":"i8:AQI=","other":"${packed('f32', HALVES)}"`;
const LISTS = `"one":[${ONES.join()}],"vector":[1,2],"other":[${HALVES.join()}]`;
const NUMBERS = '"big":12345678901234567890,"more":-9007199254740993,"huge":1e400';
const EMPTY = '"none":null,"blank":"","list":[],"object":{}';
const NOT_EMPTY = '"zero":0,"no":false,"space":" "';
const RECORD = `{${[NAMED, VECTORS, NUMBERS, EMPTY, NOT_EMPTY].join()}}`;

const DROP = { dropEmpty: true, excludeFields: '' };
const ROWS: Array<[string, INodeParameters, string]> = [
	['as they are', {}, `{${[NAMED, LISTS, NUMBERS, EMPTY, NOT_EMPTY].join()}}`],
	['without empty fields', DROP, `{${[NAMED, LISTS, NUMBERS, NOT_EMPTY].join()}}`],
	[
		'without two excluded fields',
		{ excludeFields: 'zero, other' },
		`{${[NAMED, LISTS.replace(/,"other".*/, ''), NUMBERS, EMPTY, '"no":false,"space":" "'].join()}}`,
	],
];

describe.each([
	['JSON Lines', 'd.jsonl', `${RECORD}\n`],
	['a JSON list', 'd.json', `[${RECORD}]`],
])('%s', (_format, name, content) => {
	it.each(ROWS)('%s', async (_case, options, expected) => {
		const items = [await files.item(content, name)];
		expect(await sentBy(items, { documentSource: 'file', options })).toBe(expected);
	});
});

describe('items', () => {
	const withoutLong = (json: string) => json.replace(`${NUMBERS},`, '');
	it.each(ROWS)('%s', async (_case, options, expected) => {
		const items = [JSON.parse(withoutLong(RECORD)) as IDataObject];
		expect(await sentBy(items, { options })).toBe(withoutLong(expected));
	});
});

test('cells of JSON columns: two values of each kind, and two empty ones', async () => {
	const row = {
		...{ id: 'a', name: 'A', empty: '', a: '"{""x"":[1]}"', blank: ' ', b: '[2]' },
		...{ one: packed('i8', ONES), vector: 'i8:AQI=', other: '"[0.5]"', zero: '0', no: 'false' },
		text: '',
	};
	const lines = [Object.keys(row), Object.values(row)].map((cells) => `${cells.join(';')}\n`);
	const items = [await files.item(lines.join(''), 'd.csv')];
	const options = { jsonColumns: 'empty, a, blank, b, one, vector, other, zero, no' };
	const json = `"one":[${ONES.join()}],"vector":[1,2],"other":[0.5],"zero":0,"no":false`;
	expect(await sentBy(items, { documentSource: 'file', options })).toBe(
		`{${NAMED},"a":{"x":[1]},"b":[2],${json},"text":""}`,
	);
});
