/**
 * Characters below U+0020, except white space. VT and FF are white space here, and PDF converters write FF between pages.
 */
const CONTROL_CHARACTERS = /[^ -\uffff\s]/g;

/** Logs contain this character, because it begins the codes for colors. */
const ESC = '\u001b';

/** Counts the control characters that text does not contain. */
export const countControls = (text: string): number =>
	text.match(CONTROL_CHARACTERS)?.filter((character) => character !== ESC).length ?? 0;
