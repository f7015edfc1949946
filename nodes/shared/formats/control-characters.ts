/**
 * Characters below U+0020, except white space. VT and FF are white space here, and PDF converters write FF between
 * pages.
 */
const CONTROL_CHARACTERS = /[^ -\uffff\s]/g;

/** Logs contain this character, because it begins the codes for colors. */
const ESCAPE = '\x1b';

/** Counts the control characters that text does not contain. */
export const countControls = (text: string): number =>
	text.match(CONTROL_CHARACTERS)?.filter((each) => each !== ESCAPE).length ?? 0;

const CONTROL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
	countControls(String.fromCharCode(byte)),
);

/**
 * Returns true if a slice of a file contains a byte that `countControls` counts. Four bytes are checked at a time,
 * because checking each byte, or searching each record, would make reading a file noticeably slower.
 */
export function hasControlBytes(slice: Uint8Array): boolean {
	const before = -slice.byteOffset & 3;
	const count = Math.max(0, slice.length - before) >> 2;
	const words = count > 0 && new Int32Array(slice.buffer, slice.byteOffset + before, count);
	const hasIn = (from: number, to: number) => {
		for (let at = from; at < to; at++) if (CONTROL_BYTES[slice[at] ?? 0]) return true;
		return false;
	};
	if (!words) return hasIn(0, slice.length);
	for (let at = 0; at < count; at++) {
		const word = words[at] ?? 0;
		// The result is not 0 if one of the bytes is below 0x20.
		const isSuspect = ((word - 0x20202020) & ~word & 0x80808080) !== 0;
		if (isSuspect && hasIn(before + 4 * at, before + 4 * at + 4)) return true;
	}
	return hasIn(0, before) || hasIn(before + 4 * count, slice.length);
}
