import { ArrayVisitor } from './json-array-visitor';
import { JsonWalker } from './json-walker';
import { checkLength, type RecordReader, type SourceRecord } from '../record';

/** Elements may be one digit each: no step finds more of them than this has characters. */
const STEP_CHARACTERS = 8 * 1024;

/**
 * Reads the elements of a list in a JSON file, each as a record. What is beside the list is skipped
 * without a check of its content.
 */
export class JsonArrayReader implements RecordReader {
	skip = 0;
	private readonly visitor: ArrayVisitor;
	private readonly walker: JsonWalker;

	/**
	 * @param path the dotted path of the list, such as `items.docs`. Without a path, the file is the
	 *   list, or one object that is the only record.
	 */
	constructor(path = '') {
		this.visitor = new ArrayVisitor(path, () => this.walker.line);
		this.walker = new JsonWalker(this.visitor);
	}

	/** Whether the file is no list, but one object, which is the only record. */
	get isObject(): boolean {
		return this.visitor.isObject;
	}

	get position(): { record: number; line: number } {
		return this.visitor.position;
	}

	*push(piece: string): Generator<SourceRecord> {
		for (let at = 0; at < piece.length; at += STEP_CHARACTERS) {
			yield* this.records(() => this.walker.push(piece.slice(at, at + STEP_CHARACTERS)));
		}
		const { record, line } = this.position;
		checkLength(this.walker.pending, record, line);
	}

	*end(): Generator<SourceRecord> {
		yield* this.records(() => {
			if (!this.visitor.isEmpty) this.walker.finish();
			this.visitor.checkFound();
		});
	}

	private *records(read: () => void): Generator<SourceRecord> {
		let failure: unknown;
		try {
			read();
		} catch (error) {
			failure = error;
		}
		for (const record of this.visitor.found.splice(0)) {
			if (record.record > this.skip) yield record;
		}
		if (failure instanceof SyntaxError)
			throw this.visitor.error(`is not valid JSON: ${failure.message}`);
		if (failure) throw failure;
	}
}
