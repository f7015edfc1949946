/** What the fault matrix saw, as a page for users: docs/reliability.md. */
import { labelOf, nodeName } from './adapter';
import {
	REQUESTS,
	ROW_KEYS,
	ROWS,
	TARGETS,
	type Cell,
	type Request,
	type RowKey,
} from './fault-matrix';

const attempts = (request: Request): string => `_${labelOf(TARGETS[request].node, 'maxAttempts')}_`;
const timeout = (request: Request): string => `_${labelOf(TARGETS[request].node, 'timeout')}_`;

const rowOf = (...cells: string[]): string => `| ${cells.join(' | ')} |`;

const START = (): string[] => [
	'# Reliability',
	'',
	'<!-- Made by `npm run docs:reliability` from what the nodes do in test/chaos; do not edit. -->',
	'',
	'What happens to your items when the service, the network or a proxy fails. Each cell of the matrix below was tested: the nodes ran against a service that fails in this way and does not recover. If a later attempt succeeds, so does the item, and a hint counts the retries.',
	'',
	'## Where failed items go',
	'',
	"_On Error_ in the node's settings decides. Each input item is returned once, as its results or as its error.",
	'',
	rowOf('On Error', 'Failed items', 'All other items'),
	rowOf('---', '---', '---'),
	rowOf(
		'Stop Workflow',
		'The execution fails with the error of the first one',
		'Not returned, since n8n returns nothing of a node that fails; nothing more is sent',
	),
	rowOf('Continue', 'Returned with `error`', 'Returned'),
	rowOf(
		'Continue (using error output)',
		'Returned on the error output, with `error`',
		'Returned',
	),
	'',
	'## What happens after each fault',
	'',
	'- **Retried**: the node sends the request again by itself before the item fails.',
	'- **Fails**: it is certain that the request had no effect. The message says so. A job of Chunk Text that was submitted before continues.',
	'- **Unknown**: the item fails, and the service may have done the work or not. The message says that this is unknown, and whether it is safe to do it again.',
	'- **Ends the run**: all remaining items fail with the same reason, because their requests would fail as well.',
	'- **Succeeds**: any status 2xx counts as success, since the interface does not describe the responses to pushes, deletes and migrations. The body of the response is in the output item.',
	'',
];

const END = (): string[] => [
	'',
	'## What is retried, and why',
	'',
	`- **${nodeName('push')}, ${nodeName('delete')}**: doing it again does no harm, so every transient error is retried, up to ${attempts('push')}. A batch that gets status 400 or 413 is split first: see [Retries](push-documents.md#retries). A response of success that rejects single documents fails these documents only.`,
	`- **${nodeName('migrate')}**: a migration must not run twice, so it is retried only if the request never reached the service, or after status 429.`,
	`- **${nodeName('chunk')}, submitting**: a text that is chunked twice does no harm, but costs the service twice the work. So it is retried only if it never reached the service, or after status 429. After status 401 a new token is tried once.`,
	`- **${nodeName('chunk')}, polling**: the service continues the job whatever happens to a poll. Polling continues after transient errors until _${labelOf('chunk', 'maxWait')}_. The error item has the chunking ID, so _Get Results_ can fetch the chunks later.`,
	`- **${nodeName('chunk')}, tokens**: without a token nothing is sent to the AI service. Executions share a token request, which ends after 30 seconds. A retry before that waits for the same request, so with the ${timeout('token')} of these tests, 1 second, one without a response is not sent twice.`,
	`- **All**: a request that takes longer than ${timeout('push')} fails, even if a byte arrives now and then. After 429, and 503 with \`Retry-After\`, all requests slow down: see [Retries](push-documents.md#retries). What to do about an error: [Troubleshooting](troubleshooting.md).`,
];

/** What becomes of the items. */
function outcomeIn({ ends, next, claim, sentAgain }: Cell['seen']): string {
	if (ends === 'succeeds') return 'Succeeds';
	const how = claim === 'unknown' ? 'unknown' : next === 'not sent' ? 'ends the run' : 'fails';
	return sentAgain ? `Retried, ${how}` : how.charAt(0).toUpperCase() + how.slice(1);
}

function seenIn(cells: Cell[], request: Request, row: RowKey): Cell['seen'] {
	const seen = cells.find(
		(cell) =>
			cell.request === request && cell.row === row && cell.mode === 'continueRegularOutput',
	)?.seen;
	if (seen === undefined) throw new Error(`${request} was not tried with ${row}`);
	return seen;
}

/** Several faults in one cell. */
function together(titles: string[]): string {
	const statuses = titles.filter((title) => /^Status \d+$/.test(title));
	const codes = statuses.map((title) => title.replace('Status ', '')).join(', ');
	const others = titles.filter((title) => !statuses.includes(title));
	return [...(codes === '' ? [] : [`Status ${codes}`]), ...others].join('; ');
}

/** The page, before it is formatted. Faults with the same outcomes share a row. */
export function pageOf(cells: Cell[]): string {
	const rows = new Map<string, string[]>();
	for (const row of ROW_KEYS) {
		const outcomes = rowOf(
			...REQUESTS.map((request) => outcomeIn(seenIn(cells, request, row))),
		);
		rows.set(outcomes, [...(rows.get(outcomes) ?? []), ROWS[row].title]);
	}
	const matrix = [...rows].map(([outcomes, titles]) => `| ${together(titles)} ${outcomes}`);
	const head = rowOf('Fault', ...REQUESTS.map((request) => TARGETS[request].title));
	const line = rowOf('---', ...REQUESTS.map(() => '---'));
	return [...START(), head, line, ...matrix, ...END(), ''].join('\n');
}

/** What every cell of the matrix gave, a line each, with a sample of the wording. */
export const detailOf = (cells: Cell[]): string[] =>
	ROW_KEYS.flatMap((row) =>
		REQUESTS.map((request) => {
			const seen = seenIn(cells, request, row);
			return `${ROWS[row].title}, ${request}: ${outcomeIn(seen)}. ${seen.message}`.trim();
		}),
	);

/** The rows of all tables, however they are aligned. */
export function factsOf(page: string): string[] {
	return page
		.split('\n')
		.filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
		.map((line) => line.replace(/\s+/g, ' ').trim());
}
