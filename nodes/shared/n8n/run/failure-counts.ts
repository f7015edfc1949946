import { RecordError } from '../../records/record';
import { quoted } from '../../service/wording';
import { messageOf } from './errors';

/** Maximum of different messages: a service may word each one differently. */
const MAX_MESSAGES = 100;

/** What differs from record to record: a value, and how large a document is. */
const VALUE = /(must be a string, but it is the (?:number|boolean)) .*/;
const SIZE = / has [\d,]+ bytes?, more than/;

const OTHERS = 'Other errors';

/** Counts failures by what they have in common: their messages without line, record and ID. */
export class FailureCounts {
	private readonly counts = new Map<string, number>();

	/** @param id of the document that the message may contain */
	add(reason: unknown, id: string | undefined): void {
		const message = kindOf(reason, id);
		const isKnown = this.counts.has(message) || this.counts.size < MAX_MESSAGES;
		const key = isKnown ? message : OTHERS;
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
	}

	/** The most frequent first. */
	list(): Array<{ error: string; records: number }> {
		return [...this.counts]
			.map(([error, records]) => ({ error, records }))
			.sort((one, other) => other.records - one.records);
	}
}

function kindOf(reason: unknown, id: string | undefined): string {
	const message = messageOf(reason);
	if (reason instanceof RecordError) {
		const [problem = ''] = message
			.replace(/^(?:Line \d+|Record \d+ \(line \d+\)) /, '')
			.split(':');
		return `The record ${problem}`;
	}
	const common = message.replace(VALUE, '$1').replace(SIZE, ' has more than');
	return id === undefined ? common : common.replace(` of document ${quoted(id)}`, '');
}
