/** What a run of Chunk Text is given, and its texts. */
import type { IDataObject } from 'n8n-workflow';

import type { Entry, Given } from './model';

/** What the service answers to polls of a job that has a text with the word `hit`. */
export type JobFault =
	| 'nothing'
	/** The job ends in ERROR, always or only the first one. */
	| 'ERROR'
	| 'ERROR once'
	/** The job never ends. */
	| 'never'
	/** The service answers with 404, for each of these jobs or only for the first one. */
	| 'lost'
	| 'lost once'
	/** RETRIEVED, but no chunks. */
	| 'delivered'
	/** Data for another number of texts. */
	| 'mismatch'
	/** A response that is cut off, or a page of a proxy. */
	| 'cut'
	| 'page'
	/** Vectors in a field that nobody knows. */
	| 'no vectors'
	| 400
	| 401
	| 403
	| 501
	| 302
	/** A status that lasts. */
	| 500
	| 'once 429'
	| 'once 500';

export interface ChunkGiven
	extends Pick<
		Given,
		'items' | 'onError' | 'fault' | 'concurrency' | 'skipRecords' | 'maxRecords'
	> {
	/** `getResults` fetches the jobs of a Submit with the same texts. */
	operation: 'submitAndWait' | 'submit' | 'getResults';
	source: 'item' | 'textFile' | 'file';
	output: 'documents' | 'chunks' | 'perDocument';
	/** Output To is Files. */
	toFiles: boolean;
	vectors: 'compact' | 'list' | 'none';
	details: boolean;
	/** Keep Source Fields. With `unset`, only unfinished texts and the results of Submit keep fields. */
	keep: 'unset' | 'all' | 'none' | string[];
	/** The names of the fields, for texts from a file. */
	fields: { text: string; id: string; name: string; description: string; url: string };
	documentFields: IDataObject;
	previousChunkCount: number;
	/** `lines` makes one chunk per line. `whole` makes one chunk per text, and none of a text `nothing …`. */
	chunker: 'lines' | 'whole';
	quantization: 'none' | 'max-scale' | 'min-max';
	textsPerRequest: number;
	bytesPerRequest: number;
	/** Chunks of a request that the service returns at most. */
	maxChunks: number;
	jobFault: JobFault;
	/** Only for Get Results. */
	wait: boolean;
	whenTimeRunsOut: 'fail' | 'output';
}

/** A text of a request: a document, or some pages of a large document. */
export interface Part extends Entry {
	text: string;
	firstPage?: number;
	/** One of several texts of a large document. */
	isCut?: true;
	/** The texts of the job. */
	job?: Part[];
	chunks?: Chunk[];
}

/** A text of an item or a record. */
export interface Document extends Entry {
	fields: IDataObject;
	name?: string;
	description?: unknown;
	url?: unknown;
	/** The lengths of the pages, if the text is a list of pages. */
	pages?: string[];
	parts: Part[];
}

export interface Chunk {
	text: string;
	/** The position in the text, in Python's characters. */
	start: number;
	end: number;
	hasNoVector?: true;
}

/** Returns the beginnings of the texts, which stand for a job. */
export const namesOf = (texts: string[]): string[] => texts.map((text) => text.slice(0, 20));
