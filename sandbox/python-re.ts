import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { Span } from './units';
import { toUnits } from './spans';

/** Milliseconds Python may take to start. */
const START_LIMIT = 60_000;

/** Milliseconds the interpreter outlives its last user, so that restarts find it warm. */
const GRACE = 3_000;

interface Answer {
	ready?: boolean;
	spans?: Int32Array[];
	error?: string;
}

interface Task {
	pattern: string;
	texts: string[];
	timeLimitMs: number;
	resolve: (spans: Span[][]) => void;
	reject: (error: Error) => void;
}

/**
 * One Python interpreter in a worker thread, started with the first task, shared by all sandboxes
 * of the process. Tasks run one after the other; one that passes its time limit is ended together
 * with the interpreter, and the next task starts a new one.
 */
class PythonRe {
	private worker: Worker | undefined;

	private ready = false;

	private timer: NodeJS.Timeout | undefined;

	private current: Task | undefined;

	private readonly queue: Task[] = [];

	private users = 0;

	private graceTimer: NodeJS.Timeout | undefined;

	/** Tells that a sandbox may use the interpreter; does not start it. */
	acquire(): void {
		this.users += 1;
		clearTimeout(this.graceTimer);
	}

	/** Tells that a sandbox is closed; after the last one the interpreter ends. */
	release(): void {
		this.users -= 1;
		if (this.users > 0) return;
		this.graceTimer = setTimeout(() => this.stop(), GRACE);
		this.graceTimer.unref();
	}

	/**
	 * Splits texts as Python's `re.split` does, capture groups aside.
	 * @param pattern a Python regular expression
	 * @returns for each text the spans of its non-empty pieces, in UTF-16 units
	 * @throws Error with Python's message for an invalid pattern, or for a passed time limit
	 */
	async split(pattern: string, texts: string[], timeLimitMs: number): Promise<Span[][]> {
		return await new Promise((resolve, reject) => {
			this.queue.push({ pattern, texts, timeLimitMs, resolve, reject });
			this.next();
		});
	}

	private next(): void {
		if (this.current ?? this.queue.length === 0) return;
		const worker = (this.worker ??= this.start());
		if (!this.ready) return;
		const task = (this.current = this.queue.shift() as Task);
		worker.postMessage({ pattern: task.pattern, texts: task.texts });
		this.timer = setTimeout(() => {
			const seconds = task.timeLimitMs / 1000;
			this.fail(new Error(`The regular expression took longer than ${seconds} s`));
		}, task.timeLimitMs);
		this.timer.unref();
	}

	private start(): Worker {
		// Without the parent's flags: loaders of tsx or jest have no business in there.
		const worker = new Worker(join(__dirname, 'python-re-worker.mjs'), { execArgv: [] });
		worker.on('message', (answer: Answer) => this.receive(worker, answer));
		worker.on('error', (error) => {
			if (worker === this.worker) this.fail(error as Error);
		});
		this.timer = setTimeout(() => this.fail(new Error('Python did not start')), START_LIMIT);
		this.timer.unref();
		// After the listeners, which would hold the process again.
		worker.unref();
		return worker;
	}

	private receive(worker: Worker, answer: Answer): void {
		if (worker !== this.worker) return;
		clearTimeout(this.timer);
		const task = this.current;
		this.current = undefined;
		if (answer.ready) this.ready = true;
		else if (answer.error !== undefined) task?.reject(new Error(answer.error));
		else task?.resolve(task.texts.map((text, at) => pairs(text, answer.spans?.[at])));
		this.next();
	}

	/** Ends the interpreter and fails the task at work, or all when it never started. */
	private fail(error: Error): void {
		const failed = this.current ? [this.current] : this.queue.splice(0);
		this.current = undefined;
		this.stop();
		for (const task of failed) task.reject(error);
		this.next();
	}

	private stop(): void {
		clearTimeout(this.timer);
		const { worker } = this;
		this.worker = undefined;
		this.ready = false;
		void worker?.terminate();
	}
}

/** Flat pairs of code points to spans in UTF-16 units. */
function pairs(text: string, flat: Int32Array = new Int32Array()): Span[] {
	const convert = toUnits(text);
	const spans: Span[] = [];
	for (let at = 0; at < flat.length; at += 2) {
		spans.push(convert([flat[at] ?? 0, flat[at + 1] ?? 0]));
	}
	return spans;
}

/** The interpreter of this process. */
export const pythonRe = new PythonRe();
