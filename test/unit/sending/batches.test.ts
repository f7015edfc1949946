import fc from 'fast-check';

import {
	Batcher,
	requestBytes,
	type BatchLimits,
	type Packed,
	type Packing,
	type Unsendable,
} from '../../../nodes/shared/sending/batcher';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';

interface Item {
	key: string;
	bytes: number;
	group?: string;
}

const limits = { maxCount: 3, maxBytes: 100, envelopeBytes: 2, separatorBytes: 1 };
const textOf = ({ bytes }: Item) => 'x'.repeat(bytes);
const keyOf = ({ key }: Item) => key;
const groupOf = ({ group = '' }: Item) => group;
const tooLarge = ({ key }: Item, bytes: number) => new Error(`${key} has ${bytes} bytes`);

const item = (key: string, bytes = 10, group?: string): Item => ({
	key,
	bytes,
	...(group !== undefined && { group }),
});
const bodyBytes = (batch: Array<Packed<Item>>, used: BatchLimits) =>
	requestBytes(
		batch.length,
		batch.reduce((sum, { bytes }) => sum + bytes, 0),
		used,
	);
type Made = Array<Packed<Item>> | Unsendable<Item>;
const isSent = (made: Made): made is Array<Packed<Item>> => !('reason' in made);
/** Yields each batch, and each entry that is too large to send. */
function* batches(
	{ entries, ...packing }: Packing<Item> & { entries: Item[] },
	lowered: BatchLimits = packing.limits,
): Generator<Made> {
	const batcher = new Batcher(packing, lowered);
	for (const entry of entries) {
		const made = batcher.add(entry);
		if (made) yield 'reason' in made ? made : made.batch;
	}
	const { batch } = batcher.flush();
	if (batch.length > 0) yield batch;
}
/**
 * Returns each batch's keys as one string. An exclamation mark follows the key of an entry that is too large to
 * send.
 */
const keys = (made: Iterable<Made>) =>
	[...made].map((batch) =>
		'reason' in batch ? `${batch.entry.key}!` : batch.map(({ entry }) => entry.key).join(''),
	);
const make = (items: Item[], used: BatchLimits = limits, lowered = used) =>
	batches({ entries: items, keyOf, groupOf, textOf, limits: used, tooLarge }, lowered);
const split = (items: Item[]) => keys(make(items));

test.each<[string, Item[], string[]]>([
	['nothing makes no batch', [], []],
	['by count', [...'abcdefg'].map((key) => item(key)), ['abc', 'def', 'g']],
	// The first two entries total 97 bytes. The brackets and the comma add three more, so the body has exactly the
	// maximum size.
	['by bytes, up to the limit', [item('a', 48), item('b', 49), item('c', 1)], ['ab', 'c']],
	['by bytes, one beyond the limit', [item('a', 49), item('b', 49)], ['a', 'b']],
	['one of exactly the limit, without brackets', [item('a', 100), item('b', 1)], ['a', 'b']],
	['an entry that is too large by itself', [item('a'), item('b', 101), item('c')], ['b!', 'ac']],
	['a key once in a batch', [item('a'), item('b'), item('a'), item('c')], ['ab', 'ac']],
	[
		'one group in a batch',
		[item('a', 1, 'x'), item('b', 1, 'x'), item('c', 1, 'y')],
		['ab', 'c'],
	],
])('%s', (_, items, expected) => {
	expect(split(items)).toEqual(expected);
});

const CLOSED = [
	'an entry that is too large',
	...['count', 'bytes'].map((limit) => `a batch that is full only by its ${limit}`),
	...['key', 'group'].map((change) => `a batch that is full only by a ${change}`),
];

test('keeps all entries in order and within the limits, and fills each batch as far as possible', () => {
	const anyItem = fc.record({
		key: fc.constantFrom(...'abcdefgh'),
		bytes: fc.nat(60),
		group: fc.constantFrom('x', 'y'),
	});
	const anyLimits = fc.record({
		maxCount: fc.integer({ min: 1, max: 8 }),
		maxBytes: fc.integer({ min: 10, max: 150 }),
		envelopeBytes: fc.nat(5),
		separatorBytes: fc.nat(2),
	});
	const variations = new Variations();
	fc.assert(
		fc.property(fc.array(anyItem, { maxLength: 40 }), anyLimits, (items, used) => {
			const closed = new Set<string>();
			const made = [...make(items, used)];
			const sent = made.filter(isSent);
			expect(sent.flat().map(({ entry }) => entry)).toEqual(
				items.filter(({ bytes }) => bytes <= used.maxBytes),
			);
			const refused = made.flatMap((batch) => ('reason' in batch ? [batch.entry] : []));
			expect(refused).toEqual(items.filter(({ bytes }) => bytes > used.maxBytes));
			sent.forEach((batch, index) => {
				const own = batch.map(({ entry }) => entry);
				expect(batch.length).toBeLessThanOrEqual(used.maxCount);
				expect(new Set(own.map(keyOf)).size).toBe(batch.length);
				expect(new Set(own.map(groupOf)).size).toBe(1);
				expect(bodyBytes(batch, used)).toBeLessThanOrEqual(used.maxBytes);
				const next = sent[index + 1]?.[0];
				if (next === undefined) return;
				const isFull: Record<string, boolean> = {
					'by its count': batch.length === used.maxCount,
					'by its bytes': bodyBytes([...batch, next], used) > used.maxBytes,
					'by a key': own.some(({ key }) => key === next.entry.key),
					'by a group': own.some(({ group }) => group !== next.entry.group),
				};
				const reasons = Object.keys(isFull).filter((reason) => isFull[reason]);
				expect(reasons).not.toEqual([]);
				if (reasons.length === 1) closed.add(`a batch that is full only ${reasons.join()}`);
			});
			if (refused.length > 0) closed.add('an entry that is too large');
			variations.note(occurring(CLOSED, (reason) => closed.has(reason)));
		}),
		{ numRuns: runs(300) },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});
