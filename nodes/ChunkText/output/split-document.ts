import type { IDataObject } from 'n8n-workflow';

import type { Failed } from '../../shared/sending/outcome';
import type { Coverage } from '../../shared/service/chunking/chunking-response';
import type { Pages } from '../input/pages';
import type { AwaitedText } from '../input/text-entry';
import type { LocatedChunk } from './located-chunks';

export interface ChunkedText {
	chunkingId: string;
	chunks: LocatedChunk[];
	covered: Coverage;
}

export interface FailedText {
	outcome: Failed;
	message: string;
	fields: IDataObject;
}

/**
 * The results of a document that is submitted in several texts. The chunks are numbered through, so nothing is reported
 * until all texts have ended. If one of them fails, the document fails with the failure of this text. If several texts
 * fail, a failure with a response counts before the others, because the service might not deliver the response again.
 */
export class SplitDocument {
	private readonly chunked: ChunkedText[] = [];
	private failed: FailedText | undefined;
	private ended = 0;

	/** Whether the document's failure contains a response. An item contains at most one response. */
	get hasResponse(): boolean {
		return this.failed !== undefined && hasResponse(this.failed);
	}

	/** @returns the result of the whole document, or undefined if other texts of it have not ended */
	addResult(
		{ pages, part }: AwaitedText,
		result: ChunkedText | FailedText,
	): ChunkedText | FailedText | undefined {
		if ('chunks' in result) this.chunked[part?.index ?? 0] = result;
		else if (this.failed === undefined || (!this.hasResponse && hasResponse(result)))
			this.failed = { ...result, message: `${rangeOf(pages)}${result.message}` };
		this.ended++;
		if (this.ended < (part?.total ?? 1)) return undefined;
		return this.failed ?? joined(this.chunked);
	}
}

const hasResponse = ({ fields }: FailedText): boolean => fields.response !== undefined;

function rangeOf(pages: Pages | undefined): string {
	if (pages === undefined) return '';
	const last = pages.first + pages.starts.length - 1;
	return last > pages.first ? `Pages ${pages.first} to ${last}: ` : `Page ${last}: `;
}

function joined(texts: readonly ChunkedText[]): ChunkedText {
	return {
		chunkingId: texts[0]?.chunkingId ?? '',
		// The positions count from the beginning of a text, so they would be wrong for the whole document.
		chunks: texts.flatMap(({ chunks }) =>
			chunks.map((chunk) => {
				const located = { ...chunk };
				delete located.start;
				delete located.end;
				return located;
			}),
		),
		covered: {
			missing: texts.reduce((total, { covered }) => total + covered.missing, 0),
			isComplete: texts.every(({ covered }) => covered.isComplete),
		},
	};
}
