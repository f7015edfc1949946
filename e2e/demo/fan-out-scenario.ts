import { WEBHOOK_HEADER } from '../service/credentials';
import { storeFile } from './csv-scenarios';
import type { Stage } from './stage';

const EXAMPLE = 'fan-out-over-workers';
const RANGE = 'fan-out-one-range';
const TABLE = 'Fan-Out Ranges';

/** The workflow waits this long. n8n keeps a workflow in memory during such a short wait, which keeps the demo fast. */
const WAIT_SECONDS = 1;

const indexed = (stage: Stage): number =>
	stage.documents().filter(({ id }) => String(id).startsWith('fan-out/')).length;

interface RangeState {
	state: string;
	calls: number;
	pushed: number;
	atEnd: boolean;
}

/**
 * Pushes a file in four ranges. Then tries a file that does not exist, and files that should make the run fail even
 * though no record is rejected.
 */
export async function fanOut(stage: Stage): Promise<void> {
	const { checks } = stage;
	const fileUrl = `${stage.demo.sandbox.url}/files/fan-out.jsonl`;
	const body = { fileUrl, ranges: 4, recordsPerRange: 250, waitSeconds: WAIT_SECONDS };
	const execution = await stage.runByWebhook(EXAMPLE, body);
	const [result] = execution.items('Result').map(({ json }) => json);
	const ranges = (result?.ranges ?? []) as RangeState[];
	checks.add(
		'All ranges of the file are pushed, each called once, and only the last one reached its end',
		ranges.map(({ state, calls, pushed }) => `${state} ${calls} ${pushed}`).join() ===
			'done 1 250,done 1 250,done 1 250,done 1 250' && ranges.at(-1)?.atEnd === true,
		JSON.stringify(ranges),
	);
	checks.add(
		'The index has each record of the file',
		indexed(stage) === 1000,
		`${indexed(stage)}`,
	);

	const suspect: Array<[what: string, content: string, why: RegExp]> = [
		[
			'a row with too few cells',
			'id,name,text\nfan-out-csv/1,One,1\nfan-out-csv/2,Two\n',
			/Range 0: 1 row of .* has fewer cells/,
		],
		['no records', 'id,name,text\n', /has no records/],
	];
	for (const [what, content, why] of suspect) {
		const file = await storeFile(stage, `fan-out ${what}.csv`.replaceAll(' ', '-'), content);
		const suspectFile = { ...body, fileUrl: file, ranges: 1 };
		const { status, message = '' } = await stage.callWebhook(EXAMPLE, suspectFile);
		checks.add(
			`A file with ${what} fails the run, although nothing was rejected`,
			status === 'error' && why.test(message),
			`${status}: ${message}`,
		);
	}

	const missing = { ...body, fileUrl: `${fileUrl}.missing`, maxCalls: 2, ranges: 1 };
	const failed = await stage.callWebhook(EXAMPLE, missing);
	checks.add(
		'A range that fails for good is called twice, and the error names it',
		failed.status === 'error' && /Range 0 was called 2 times: .+/.test(failed.message ?? ''),
		failed.message,
	);
}

/** Checks that a webhook call with the ID of a finished run does not start any work. */
export async function oldRange(stage: Stage): Promise<void> {
	const [begun] = await stage.demo.n8n.api.dataTables.rows(TABLE);
	const headers = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };
	const { sandbox, n8n, workflows } = stage.demo;
	const before = sandbox.requests.length;
	const { run } = begun;
	const execution = await n8n.api.callWebhook(
		workflows[RANGE],
		RANGE,
		{ run, range: 0, skip: 0, max: 0, fileUrl: `${sandbox.url}/files/fan-out.jsonl` },
		headers,
	);
	stage.checks.add(
		'A range of a run that is over starts nothing',
		execution.status === 'success' &&
			execution.items('Note Start').length === 0 &&
			sandbox.requests.length === before,
		execution.status,
	);
}
