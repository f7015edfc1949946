import { countControls } from './control-characters';

/** A kind of file that is not text, and what the user should do with it. */
interface FileKind {
	/** Completes a sentence that begins with "The file is". */
	name: string;
	advice: string;
}

/** Number of bytes at the beginning of a file that show its kind. A tar archive has its mark at byte 257. */
export const HEAD_BYTES = 1024;
/** Length of the longest mark at the beginning of a file, which is that of SQLite. */
const MARK_BYTES = 16;

export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/**
 * Returns true if `binaryKindOf` needs no further bytes. A short beginning is enough for text, because storage may stall
 * after it. A tar archive, or UTF-16 text, has control characters before `HEAD_BYTES`.
 */
export const showsKind = (head: Uint8Array): boolean =>
	head.length >= HEAD_BYTES ||
	isGzip(head) ||
	(head.length >= MARK_BYTES && countControls(Buffer.from(head).toString('latin1')) === 0);

const extractAdvice = (operation: string): string =>
	`Read it with n8n's Extract from File node: choose '${operation}'.`;
const ENCODING_ADVICE = "Save it as UTF-8. If it is UTF-16, set the option 'Encoding' instead.";
const OFFICE_ADVICE =
	"Save a Word document as text, or as a PDF that n8n's Extract from File node can read. Read an Excel file with that node: choose 'Extract From XLSX' or 'Extract From XLS'.";
const UNPACK_ADVICE = 'Unpack it before this node, and pass each of its files as an item.';
const DECOMPRESS_ADVICE = 'Decompress it once before this node.';
const EXPORT_ADVICE = 'Export it as JSON Lines or CSV.';
const NO_TEXT_ADVICE = 'Choose a text file, or extract the text before this node.';

/** Matches a file whose first or second byte is 0, as in UTF-16 text. */
const WITH_ZERO = /^(?:00|..00)/;

const BYTE_ORDER_MARK = /^(?:fffe|feff|efbbbf)/;

/** Beginnings of files in hexadecimal. */
const KINDS: ReadonlyArray<[beginning: RegExp, name: string, advice: string]> = [
	[/^25504446/, 'a PDF document', extractAdvice('Extract From PDF')],
	[
		/^504b(?:0304|0506)/,
		'an Excel or Word document, or a ZIP archive',
		`${OFFICE_ADVICE} Decompress an archive with n8n's Compression node.`,
	],
	[/^d0cf11e0/, 'an Excel or Word document', OFFICE_ADVICE],
	// In a Parquet file, a control character follows PAR1. A text file that begins with "PAR1,5" does not
	// match.
	[/^50415231[01]/, 'a Parquet file', EXPORT_ADVICE],
	[/^4f626a01/, 'an Avro file', EXPORT_ADVICE],
	[/^53514c69746520666f726d6174203300/, 'a SQLite database', EXPORT_ADVICE],
	[/^1f8b/, 'compressed with gzip twice', DECOMPRESS_ADVICE],
	[/^(?:425a68..314159|fd377a585a|28b52ffd)/, 'compressed, but not with gzip', DECOMPRESS_ADVICE],
	[/^.{514}7573746172/, 'a tar archive', UNPACK_ADVICE],
	[/^(?:377abcaf271c|526172211a07)/, 'a 7z or RAR archive', UNPACK_ADVICE],
	[/^(?:47494638[37]961|89504e47|ffd8ff|49492a00|4d4d002a)/, 'a picture', NO_TEXT_ADVICE],
	[
		/^(?:4944330[2-4]|fff[23ab]|4f676753|664c6143|52494646.{8}(?:57|41)|.{8}66747970)/,
		'a sound, a picture or a video',
		NO_TEXT_ADVICE,
	],
	[/^(?:fffe0000|0000feff)/, 'UTF-32 text', 'Save it as UTF-8.'],
];

const NO_TEXT: FileKind = {
	name: 'not text, or it is UTF-16 without a byte order mark',
	advice: ENCODING_ADVICE,
};

/**
 * Returns the kind of a file that is not text, or undefined if the file may be text.
 *
 * @param head the first bytes of the file, up to `HEAD_BYTES` (see `showsKind`)
 * @param isUtf16 whether the text is known to be UTF-16
 */
export function binaryKindOf(head: Uint8Array, isUtf16: boolean): FileKind | undefined {
	const bytes = Buffer.from(head);
	const hex = bytes.toString('hex');
	const [, name, advice] = KINDS.find(([beginning]) => beginning.test(hex)) ?? [];
	if (name !== undefined && advice !== undefined) return { name, advice };
	if (isUtf16 || BYTE_ORDER_MARK.test(hex)) return undefined;
	return WITH_ZERO.test(hex) || isLikeUtf16(bytes) ? NO_TEXT : undefined;
}

const MIN_CONTROL_SHARE = 1 / 50;
/** Characters that occur in almost any text: a space, a line break, or Chinese punctuation. */
const FREQUENT = /[ \n\u3001\u3002\uff0c]/;
const UNASSIGNED = /[\p{Cn}\p{Co}\ufffd]/u;

/**
 * Returns true if the bytes look like UTF-16 text without a byte order mark. The bytes of Cyrillic or Chinese letters
 * include many control characters, which UTF-8 text does not have.
 */
function isLikeUtf16(bytes: Buffer): boolean {
	const controls = countControls(bytes.toString('latin1'));
	if (controls === 0 || controls < bytes.length * MIN_CONTROL_SHARE) return false;
	return ['utf-16le', 'utf-16be'].some((label) => {
		const text = new TextDecoder(label).decode(bytes, { stream: true });
		return FREQUENT.test(text) && !UNASSIGNED.test(text) && countControls(text) === 0;
	});
}
