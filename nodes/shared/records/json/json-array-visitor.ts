import { contentOf } from './json-text';
import type { Decision, JsonVisitor } from './json-walker';
import { detached, RecordError, type SourceRecord } from '../record';

/** Follows the path to a list in a JSON file, and collects its elements. */
export class ArrayVisitor implements JsonVisitor {
	readonly found: SourceRecord[] = [];
	/** Whether nothing was read but white space. */
	isEmpty = true;
	/** What remains of the path below the value that begins next; undefined if it leads elsewhere. */
	private next: string | undefined;
	/** The same for each open object on the way. */
	private readonly remaining: string[] = [];
	private record = 0;
	private recordLine = 0;
	private isInRecord = false;
	private isInList = false;
	private wasFound = false;
	/** Whether the file is no list, but one object, which is the only record. */
	isObject = false;

	constructor(
		private readonly path: string,
		private readonly line: () => number,
	) {
		this.next = path;
	}

	begin(first: string): Decision {
		this.isEmpty = false;
		if (this.isInList) return this.beginRecord();
		const rest = this.next;
		if (rest === undefined) return 'skip';
		if (rest === '') return this.beginList(first);
		if (first !== '{') return 'skip';
		this.remaining.push(rest);
		return 'open';
	}

	key(key: string): void {
		const rest = this.remaining.at(-1) ?? '';
		if (key === rest) this.next = '';
		else this.next = rest.startsWith(`${key}.`) ? rest.slice(key.length + 1) : undefined;
	}

	value(json: string): void {
		if (!this.isInRecord) return;
		const { value, problem } = contentOf(json);
		const error = problem === undefined ? undefined : this.error(problem);
		this.found.push({ ...this.position, text: detached(json), value, error });
		this.isInRecord = false;
	}

	close(): void {
		if (this.isInList) this.isInList = false;
		else this.remaining.pop();
	}

	/** @throws {RecordError} if the file has no list at the path */
	checkFound(): void {
		if (this.wasFound) return;
		throw this.failure(
			this.isEmpty ? 'The file is empty' : `The file has no list at "${this.path}"`,
		);
	}

	/** The record that is read at the moment, or the one that would come next. */
	get position(): { record: number; line: number } {
		return this.isInRecord
			? { record: this.record, line: this.recordLine }
			: { record: this.record + 1, line: this.line() };
	}

	error(problem: string): RecordError {
		const { record, line } = this.position;
		return new RecordError(`Record ${record} (line ${line}) ${problem}`, record, line);
	}

	/** An error of the list as a whole. */
	private failure(message: string): RecordError {
		const { record, line } = this.position;
		return new RecordError(message, record, line);
	}

	private beginList(first: string): Decision {
		this.wasFound = true;
		if (first === '[') {
			this.isInList = true;
			return 'open';
		}
		this.isObject = this.path === '' && first === '{';
		if (this.isObject) return this.beginRecord();
		throw this.failure(
			this.path === ''
				? 'The file is neither a JSON list nor a JSON object'
				: `"${this.path}" is not a list (line ${this.line()})`,
		);
	}

	private beginRecord(): Decision {
		this.recordLine = this.line();
		this.record++;
		this.isInRecord = true;
		return 'text';
	}
}
