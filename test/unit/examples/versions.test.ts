import fc from 'fast-check';

import versions from '../../../examples/src/code/versions';
import { runs } from '../../../support/runs';

/** MurmurHash3_x86_128 of bytes, as its author published it. */
function murmurHash3(bytes: Uint8Array, seed: number): Uint8Array {
	const { imul } = Math;
	const rotated = (value: number, bits: number) => (value << bits) | (value >>> (32 - bits));
	const c = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];
	const kBits = [15, 16, 17, 18];
	const hBits = [19, 17, 15, 13];
	const added = [0x561ccd1b, 0x0bcaa747, 0x96cd1c35, 0x32ac3b17];
	const h = [seed, seed, seed, seed];
	const mixed = (k: number, at: number) =>
		imul(rotated(imul(k, c[at]), kBits[at]), c[(at + 1) % 4]);
	const blocks = bytes.length >> 4;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
	for (let block = 0; block < blocks; block++) {
		for (let at = 0; at < 4; at++) {
			h[at] ^= mixed(view.getInt32(block * 16 + at * 4, true), at);
			h[at] = (imul(rotated(h[at], hBits[at]) + h[(at + 1) % 4], 5) + added[at]) | 0;
		}
	}
	const tail = [0, 0, 0, 0];
	for (let at = blocks * 16; at < bytes.length; at++) {
		const place = at - blocks * 16;
		tail[place >> 2] ^= bytes[at] << ((place & 3) * 8);
	}
	for (let at = 3; at >= 0; at--) h[at] ^= mixed(tail[at], at);
	for (let at = 0; at < 4; at++) h[at] ^= bytes.length;
	const spread = () => {
		for (let at = 1; at < 4; at++) h[0] = (h[0] + h[at]) | 0;
		for (let at = 1; at < 4; at++) h[at] = (h[at] + h[0]) | 0;
	};
	spread();
	for (let at = 0; at < 4; at++) {
		h[at] = imul(h[at] ^ (h[at] >>> 16), 0x85ebca6b);
		h[at] = imul(h[at] ^ (h[at] >>> 13), 0xc2b2ae35);
		h[at] ^= h[at] >>> 16;
	}
	spread();
	return new Uint8Array(Int32Array.from(h).buffer);
}

const hex = (bytes: Uint8Array) =>
	[...new Uint32Array(bytes.buffer)].map((word) => word.toString(16).padStart(8, '0')).join('');

// SMHasher, the test suite of the algorithm's author, identifies each implementation by this number: it hashes the keys
// [], [0], [0, 1] and so on with the seeds 256, 255 and so on, and then all of these hashes together.
test('the reference in this test is MurmurHash3', () => {
	const hashes = Array.from({ length: 256 }, (_, length) =>
		murmurHash3(
			Uint8Array.from({ length }, (_byte, at) => at),
			256 - length,
		),
	);
	const all = Uint8Array.from(hashes.flatMap((hash) => [...hash]));
	const verification = new Uint32Array(murmurHash3(all, 0).buffer)[0];
	expect(verification).toBe(0xb3ece62a);
});

const inputs = {
	...{ fields: null, ignoredFields: 'views', settings: '{"a":1}' },
	formerSplit: 'headings' as const,
};
const versionsOf = (list: unknown, more: object = {}) =>
	versions({ ...inputs, list, ...more })[0].json.versions;

test('a version is the MurmurHash3 of the document and the settings', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (settings) => {
			const bytes = Uint8Array.from(Buffer.from(`1${settings}`, 'utf16le'));
			expect(versionsOf([1], { settings })).toEqual([hex(murmurHash3(bytes, 0))]);
		}),
		{ numRuns: runs(2000) },
	);
});

test('the order of fields does not matter, the order of a list and all values do', () => {
	const version = (document: object) => versionsOf([document])[0];
	const document = { id: 'a', tags: { one: 1, two: [2, 3] }, text: 'A', views: 1 };
	const same = { views: 2, text: 'A', tags: { two: [2, 3], one: 1 }, id: 'a' };
	expect(version(document)).toBe(version(same));
	expect(version(document)).not.toBe(version({ ...document, text: 'B' }));
	expect(version(document)).not.toBe(version({ ...document, tags: { one: 1, two: [3, 2] } }));
	const nested = { ...document, tags: { one: 1, two: [2, 3], views: 1 } };
	expect(version(nested)).not.toBe(version(document));
});

test('only the given fields count, and the settings of the nodes', () => {
	const of = (document: object, settings = '{}') =>
		versionsOf([document], { fields: ['name', 'text'], settings })[0];
	expect(of({ name: 'a', text: 'A', views: 1 })).toBe(of({ text: 'A', name: 'a' }));
	expect(of({ name: 'a' })).not.toBe(of({ text: 'a' }));
	expect(of({ name: 'a' })).not.toBe(of({ name: 'a' }, '{"excludeFields":"url"}'));
});

test('further fields count only if they are not empty and not ignored', () => {
	const of = (fields?: unknown) =>
		versionsOf([{ name: 'a', ...(fields !== undefined && { fields }) }], {
			fields: ['name'],
		})[0];
	for (const empty of [{}, null, 'no object', { a: '', b: null, c: [], d: undefined }]) {
		expect(of(empty)).toBe(of());
	}
	expect(of({ views: 1 })).toBe(of());
	expect(of({ price: 0 })).not.toBe(of());
	expect(of({ price: 1, tags: ['a'] })).toBe(of({ tags: ['a'], views: 7, price: 1 }));
	expect(of({ price: 1 })).not.toBe(of({ price: 2 }));
});

test('name, URL and text count, whatever is ignored', () => {
	const of = (document: object, ignoredFields: string) =>
		versionsOf([document], { fields: ['name', 'text'], ignoredFields })[0];
	const document = { name: 'a', text: 'A', fields: { price: 1, views: 2 } };
	for (const ignored of ['name, text, views', ' views ,, name']) {
		expect(of({ ...document, text: 'B' }, ignored)).not.toBe(of(document, ignored));
		expect(of({ ...document, name: 'b' }, ignored)).not.toBe(of(document, ignored));
		expect(of({ ...document, fields: { price: 1 } }, ignored)).toBe(of(document, ignored));
	}
	// A document without such a field keeps its version when the setting changes.
	const without = { name: 'a', text: 'A', fields: { price: 1 } };
	expect(of(without, 'views')).toBe(of(without, ''));
	expect(of(document, 'views')).not.toBe(of(document, ''));
});

test('a list that is no list, and entries that are no documents, are left to the plan', () => {
	expect(versionsOf(undefined)).toEqual([]);
	expect(versionsOf([null, 'a'], { fields: ['name'] })).toHaveLength(2);
	expect(versionsOf([null, undefined, 'a'])).toHaveLength(3);
});
