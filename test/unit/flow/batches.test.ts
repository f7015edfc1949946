import fc from 'fast-check';

import { batches, requestBytes, type Packed } from '../../../nodes/shared/flow/batches';

interface Item {
	key: string;
	bytes: number;
	group?: string;
}

const limits = { maxCount: 3, maxBytes: 100, envelope: 2, separator: 1 };
const pack = (item: Item): Packed<Item> => ({ entry: item, text: '', bytes: item.bytes });
const keyOf = ({ key }: Item) => key;
const groupOf = ({ group = '' }: Item) => group;

const item = (key: string, bytes = 10, group?: string): Item => ({
	key,
	bytes,
	...(group !== undefined && { group }),
});
const keys = (made: Iterable<Array<Packed<Item>>>) =>
	[...made].map((batch) => batch.map(({ entry }) => entry.key).join(''));
const split = (items: Item[], used = limits) => keys(batches(items, pack, keyOf, used, groupOf));

test.each<[string, Item[], string[]]>([
	['nothing makes no batch', [], []],
	['by count', [...'abcdefg'].map((key) => item(key)), ['abc', 'def', 'g']],
	// 2 + (48 + 1) + (48 + 1) is exactly the limit.
	['by bytes, up to the limit', [item('a', 48), item('b', 48), item('c', 1)], ['ab', 'c']],
	['by bytes, one beyond the limit', [item('a', 48), item('b', 49)], ['a', 'b']],
	['what is too large stands alone', [item('a'), item('b', 999), item('c')], ['a', 'b', 'c']],
	['a key once in a batch', [item('a'), item('b'), item('a'), item('c')], ['ab', 'ac']],
	[
		'one group in a batch',
		[item('a', 1, 'x'), item('b', 1, 'x'), item('c', 1, 'y')],
		['ab', 'c'],
	],
])('%s', (_, items, expected) => {
	expect(split(items)).toEqual(expected);
});

test('the size of a request counts the envelope and each entry with its separator', () => {
	expect(requestBytes([pack(item('a', 10)), pack(item('b', 20))], limits)).toBe(34);
	expect(requestBytes([], limits)).toBe(2);
});

test('packs an entry only when its batch is being filled', () => {
	const packed: string[] = [];
	const made = batches(
		[...'abcdefghi'].map((key) => item(key)),
		(entry) => {
			packed.push(entry.key);
			return pack(entry);
		},
		keyOf,
		limits,
	);
	made.next();
	expect(packed.join('')).toBe('abcd');
	made.next();
	expect(packed.join('')).toBe('abcdefg');
});

test('limits lowered on the way hold for the batches to come', () => {
	const changing = { ...limits };
	const made = batches(
		[...'abcdef'].map((key) => item(key)),
		pack,
		keyOf,
		changing,
	);
	const first = made.next();
	changing.maxBytes = 25;
	expect(keys([first.value as Array<Packed<Item>>])).toEqual(['abc']);
	expect(keys(made)).toEqual(['de', 'f']);
});

test('keeps all entries in order, within the limits, and no batch could have taken the next', () => {
	const anyItem = fc.record({
		key: fc.constantFrom(...'abcdefgh'),
		bytes: fc.nat(60),
		group: fc.constantFrom('x', 'y'),
	});
	const anyLimits = fc.record({
		maxCount: fc.integer({ min: 1, max: 8 }),
		maxBytes: fc.integer({ min: 10, max: 150 }),
		envelope: fc.nat(5),
		separator: fc.nat(2),
	});
	fc.assert(
		fc.property(fc.array(anyItem, { maxLength: 40 }), anyLimits, (items, used) => {
			const made = [...batches(items, pack, keyOf, used, groupOf)];
			expect(made.flat().map(({ entry }) => entry)).toEqual(items);
			made.forEach((batch, index) => {
				const own = batch.map(({ entry }) => entry);
				expect(batch.length).toBeLessThanOrEqual(used.maxCount);
				expect(new Set(own.map(keyOf)).size).toBe(batch.length);
				expect(new Set(own.map(groupOf)).size).toBe(1);
				if (batch.length > 1) {
					expect(requestBytes(batch, used)).toBeLessThanOrEqual(used.maxBytes);
				}
				const next = made[index + 1]?.[0];
				if (next === undefined) return;
				const fits =
					batch.length < used.maxCount &&
					requestBytes([...batch, next], used) <= used.maxBytes &&
					!own.some(({ key }) => key === next.entry.key) &&
					own.every(({ group }) => group === next.entry.group);
				expect(fits).toBe(false);
			});
		}),
	);
});
