/**
 * Begins to read gzip files, and stops at many different positions. text.test.ts runs this file with the current
 * Node.js version and with the versions in `OTHER_NODES`. An error that is thrown outside the reader ends the process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { textOf } from '../../../nodes/shared/formats/text';

let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647);
const FILES = [
	gzipSync(Buffer.from(Array.from({ length: 1_000_000 }, () => random() % 128))),
	gzipSync(Buffer.alloc(5_000_000, 'abc')),
];
const LENGTHS = [1000, 10_000, 65_536];

/** Yields a file in chunks, with or without delays. Some files end early with an error. */
async function* chunks(turn: number): AsyncGenerator<Uint8Array> {
	const file = FILES[turn % 2];
	const length = LENGTHS[turn % 3];
	for (let at = 0; at < file.length; at += length) {
		if (turn % 5 === 1) await sleep(1);
		if (turn % 7 === 3 && at > 200_000) throw new Error('The disk is gone');
		yield file.subarray(at, at + length);
	}
}

async function stop(turn: number): Promise<void> {
	let yields = 0;
	const yieldToOthers = async () => {
		if (turn % 4 === 0 && yields++ > turn % 9) throw new Error('Canceled');
	};
	const enough = [0, 100_000, 400_000][(turn % 4) % 3];
	let length = 0;
	try {
		for await (const text of textOf(chunks(turn), yieldToOthers)) {
			if ((length += text.length) > enough) break;
			if (turn % 2 === 0 || turn % 11 < 5) await sleep((turn % 3) * 3);
		}
	} catch {
		// The reader may throw an error here. The process must not crash.
	}
}

void (async () => {
	for (let round = 0; round < 4; round++) {
		await Promise.all(Array.from({ length: 60 }, async (_, at) => await stop(at + round * 7)));
	}
	await sleep(300);
	console.log('alive');
})();
