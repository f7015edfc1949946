import { setMember } from '../fields';
import { isDeeper, MAX_DEPTH } from './json-text';
import { JsonWalker, type Decision, type JsonVisitor } from './json-walker';

type Container = unknown[] | Record<string, unknown>;

/** Builds the value of which a walker reports the parts. */
export class JsonBuilder implements JsonVisitor {
	root: unknown;
	/** How many of the next lists and objects are to be read value by value. */
	opens = 0;
	private readonly open: Container[] = [];
	private readonly keys: string[] = [];

	/** @param map what becomes of each text, number or whole part that is read, and of each key */
	constructor(private readonly map: (value: unknown) => unknown = (value) => value) {}

	get canOpen(): boolean {
		return this.open.length < MAX_DEPTH;
	}

	begin(first: string): Decision {
		const isContainer = first === '{' || first === '[';
		if (!isContainer || this.opens === 0 || !this.canOpen) return 'text';
		this.opens--;
		const container = first === '{' ? {} : [];
		this.add(container);
		this.open.push(container);
		return 'open';
	}

	key(key: string): void {
		this.keys[this.open.length] = String(this.map(key));
	}

	value(text: string): void {
		const isContainer = text.startsWith('{') || text.startsWith('[');
		if (!isContainer || !isDeeper(text, MAX_DEPTH - this.open.length))
			this.add(this.map(parsed(text)));
		else if (this.canOpen) this.openAll(text);
		else {
			parsed(text);
			this.add(this.map(text));
		}
	}

	close(): void {
		this.open.pop();
	}

	/** What was built so far, as JSON. */
	written(): string {
		return this.root === undefined ? '' : JSON.stringify(this.root);
	}

	/** Reads what is nested too deep value by value, so that only what is too deep is kept as text. */
	private openAll(text: string): void {
		const walker = new JsonWalker(this);
		this.opens = Infinity;
		walker.push(text);
		walker.finish();
		this.opens = 0;
	}

	private add(value: unknown): void {
		const parent = this.open.at(-1);
		const key = this.keys[this.open.length] ?? '';
		if (parent === undefined) this.root = value;
		else if (Array.isArray(parent)) parent.push(value);
		else setMember(parent, key, value);
	}
}

/** A string, or one of the words that Python and others write for numbers that JSON does not have. */
const STRING_OR_NO_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*"|NaN|-?Infinity/g;

/** What `JSON.parse` returns, with null for NaN, Infinity and -Infinity. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		const json = text.replace(STRING_OR_NO_NUMBER, (found) =>
			found.startsWith('"') ? found : 'null',
		);
		return JSON.parse(json);
	}
}
