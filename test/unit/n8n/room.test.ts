import { Room } from '../../../nodes/ChunkText/operations/room';
import type { TextEntry } from '../../../nodes/ChunkText/texts/text';

const texts = (count: number, characters = 1) =>
	Array<TextEntry>(count).fill({ record: { text: 'x'.repeat(characters) } } as TextEntry);

/** How many of two slices are admitted while these texts wait, and after what happens then. */
async function admittedBeside(waiting: TextEntry[], happens: (room: Room) => void) {
	const room = new Room();
	let read = 0;
	async function* slices() {
		yield texts(1);
		yield await Promise.resolve(texts(1));
	}
	void (async () => {
		for await (const _ of room.admitted(slices())) {
			if (++read === 1) room.take(waiting);
		}
	})();
	await new Promise(setImmediate);
	const before = read;
	happens(room);
	await new Promise(setImmediate);
	return [before, read];
}

test.each<[string, TextEntry[], (room: Room) => void, number[]]>([
	['499 short ones wait', texts(499), () => undefined, [2, 2]],
	['one of 8 MB waits', texts(1, 8_000_000), () => undefined, [1, 1]],
	['one of 500 leaves', texts(500), (room) => room.release(texts(1)), [1, 2]],
	['one of 501 leaves', texts(501), (room) => room.release(texts(1)), [1, 1]],
	['nobody makes room any longer', texts(500), (room) => room.close(), [1, 2]],
])(
	'texts of files are read only while there is room: %s',
	async (_case, waiting, happens, read) => {
		expect(await admittedBeside(waiting, happens)).toEqual(read);
	},
);
