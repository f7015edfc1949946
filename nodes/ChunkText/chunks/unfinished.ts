import type { IDataObject } from 'n8n-workflow';

import type { Job } from '../submit/job';
import type { TextRef } from '../texts/text';

/** What Get Results needs to fetch a text and to tell it from the others of its request. */
export const whereabouts = (
	{ chunkingId, textCount }: Job,
	{ position, index }: TextRef,
): IDataObject => ({
	chunkingId,
	...(position !== undefined && { textPosition: position }),
	...(textCount !== undefined && { textsInRequest: textCount }),
	...(index !== undefined && { textIndex: index }),
});

/** The same for all texts of a request, which come from a file. */
export const submittedOf = ({ chunkingId, session, facts, refs, textCount }: Job): IDataObject => ({
	chunkingId,
	status: session.masked(facts.status) as string,
	firstRecord: refs[0]?.record?.record,
	lastRecord: refs.at(-1)?.record?.record,
	textsInRequest: textCount,
	documents: refs.map(({ document }) => ({ id: document?.id, ...document?.fields })),
});
