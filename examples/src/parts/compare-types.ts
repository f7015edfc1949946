/** What the Code nodes of *Compare Chunkers* exchange. */

export interface ComparedDocument {
	id: string | number;
	text: string;
}

export interface Question {
	question: string;
	/** ID of the document with the answer. */
	document: string | number;
	/** Words of the answer. A chunk counts only if it contains them. */
	phrase?: string;
}

export interface Variant {
	/** What the table calls it. */
	variant: string;
	chunker: string;
	/** Settings of the chunker, as the service calls them. */
	config: object;
	model: string;
}

/** A text to send. Its number is its place in the list of all documents and then all questions. */
export interface TextToSend extends Variant {
	entry: number;
	text: string;
	/** `passage` or `query`. */
	dataType: string;
	/** In milliseconds. */
	started: number;
}

/** What Chunk Text returns for a chunk, or for a text that failed or has no chunks. */
export interface ChunkResult {
	entry?: number;
	error?: unknown;
	chunkIndex?: number;
	text?: string;
	vector?: unknown;
	tokensUsed?: number;
}

/** A question whose first chunk is not the right one. */
export interface Missed {
	question: string;
	document: string | number;
	phrase: string;
	/** Place of the first right chunk, or null if none was found. */
	rank: number | null;
	why: string;
	/** The chunk that was found instead. */
	found: { document: string | number; chunkIndex: number; text: string } | null;
}

/** What a variant has achieved. The figures are null if there is an error. */
export interface Score extends Variant {
	meanReciprocalRank: number | null;
	/** Share of the questions whose first chunk is right. */
	hitAt1: number | null;
	/** Share of the questions with a right chunk among the first five. */
	hitAt5: number | null;
	chunks: number | null;
	medianCharacters: number | null;
	largestCharacters: number | null;
	/** Number of phrases that no chunk of their document contains. */
	phrasesCut: number | null;
	textsSent: number;
	charactersSent: number;
	/** Null if the service does not say it for each chunk. */
	tokensUsed: number | null;
	seconds: number;
	missed: Missed[];
	error: string;
}

export type TableRow = { rank: number | null } & Score;
