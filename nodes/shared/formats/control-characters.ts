/**
 * Characters below U+0020, except white space and ESC. VT and FF are white space here, and PDF converters write FF
 * between pages. Logs contain ESC, because it begins the codes for colors.
 */
const CONTROL_CHARACTERS = /[^ -\uffff\s\x1b]/g;

/** Counts the control characters that text does not contain. */
export const countControls = (text: string): number => text.match(CONTROL_CHARACTERS)?.length ?? 0;
