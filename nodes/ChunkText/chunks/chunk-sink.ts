import type { IDataObject } from 'n8n-workflow';

import type { RecordOptions } from './records';
import type { TextRef } from '../texts/text';

/** Where the records of chunked texts go. */
export interface ChunkSink {
	/** How vectors are written, given how the user wants them returned. */
	vectorsOf(wanted: RecordOptions['vectors']): RecordOptions['vectors'];
	/** Keeps the records of a text, or of all texts of a request. Returns those that become items. */
	take(refs: TextRef[], records: IDataObject[]): Promise<IDataObject[]>;
	/** These texts are complete. Returns the texts whose chunks have left the memory. */
	done(refs: TextRef[]): Promise<TextRef[]>;
	/** Nothing more comes at all. */
	end(): Promise<void>;
}

/** All records become items. */
export const TO_ITEMS: ChunkSink = {
	vectorsOf: (wanted) => wanted,
	take: async (_refs, records) => records,
	done: async (refs) => refs,
	end: async () => undefined,
};
