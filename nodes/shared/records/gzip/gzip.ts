import type { Bytes } from '../bytes';
import { damaged, type BitReader, type Steps } from './bit-reader';
import { Inflater } from './inflate';

/** Whether a file with these first bytes is compressed with gzip. */
export function isGzip(head: Uint8Array): boolean {
	return head[0] === 0x1f && head[1] === 0x8b;
}

/** The input is read in pieces of this length, since even empty blocks take time. */
const PIECE_BYTES = 16 * 1024;

/**
 * Decompresses gzip (RFC 1952) as it arrives, no further ahead than it is read: all members of the
 * file, one after the other, and zeros at its end.
 *
 * @returns the output, empty pieces included: at least one for each 16 KB of input
 * @throws {FileError} if the compressed file is truncated or damaged, or has something else behind a
 *   member, and whatever breaks the source; after all that comes before
 */
export async function* gunzip(source: Bytes): AsyncGenerator<Uint8Array> {
	const inflater = new Inflater();
	const steps = members(inflater);
	for await (const chunk of source) {
		for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
			inflater.input.push(chunk.subarray(at, at + PIECE_BYTES));
			yield* available(steps);
			yield NOTHING;
		}
	}
	inflater.input.isLast = true;
	yield* available(steps);
}

const NOTHING = new Uint8Array();

/** What can be decompressed before more input is needed. */
function* available(steps: Steps<void>): Generator<Uint8Array> {
	for (let step = steps.next(); step.value !== undefined; step = steps.next()) yield step.value;
}

function* members(inflater: Inflater): Steps<void> {
	const { input } = inflater;
	for (let count = 0; !(yield* input.isOver()); count++) {
		const first = yield* input.number(1);
		if (first === 0 && count > 0) return yield* padding(input);
		if (first !== 0x1f || (yield* input.number(1)) !== 0x8b) throw damaged(OTHER_DATA);
		yield* header(input);
		const { crc, size } = yield* inflater.stream();
		if ((yield* number32(input)) !== crc)
			throw damaged('another content than its checksum says');
		if ((yield* number32(input)) !== size) throw damaged('another length than it says');
	}
}

const OTHER_DATA = 'something other than gzip after its content';

/** Some programs fill files with zeros at the end. */
function* padding(input: BitReader): Steps<void> {
	while (!(yield* input.isOver())) {
		if ((yield* input.number(1)) !== 0) throw damaged(OTHER_DATA);
	}
}

/** What a member begins with, after the two bytes that all have in common. */
function* header(input: BitReader): Steps<void> {
	const method = yield* input.number(1);
	const flags = yield* input.number(1);
	if (method !== 8 || flags > 0x1f) throw damaged('an unknown kind of compression');
	yield* skip(input, 6);
	if (flags & HAS_EXTRA) yield* skip(input, yield* input.number(2));
	for (const flag of [HAS_NAME, HAS_COMMENT]) {
		while (flags & flag && (yield* input.number(1)) !== 0);
	}
	if (flags & HAS_CHECKSUM) yield* skip(input, 2);
}

const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

function* skip(input: BitReader, bytes: number): Steps<void> {
	for (let at = 0; at < bytes; at++) yield* input.number(1);
}

function* number32(input: BitReader): Steps<number> {
	const low = yield* input.number(2);
	return ((yield* input.number(2)) * 0x10000 + low) >>> 0;
}
