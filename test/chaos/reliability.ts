/** What the fault matrix saw, as a page for users: docs/reliability.md. */
import { labelOf, nodeName } from './adapter';
import { NODE_OF, REQUESTS, ROW_KEYS, ROWS, type Cell, type Request } from './fault-matrix';

const HEADINGS: Record<Request, string> = {
	push: nodeName('push'),
	delete: nodeName('delete'),
	migrate: nodeName('migrate'),
	submit: `${nodeName('chunk')}: submitting texts`,
	results: `${nodeName('chunk')}: polling for results`,
	token: `${nodeName('chunk')}: access tokens`,
};

const attempts = (request: Request): string => labelOf(NODE_OF[request], 'maxAttempts');
const timeout = (request: Request): string => labelOf(NODE_OF[request], 'timeout');

const NOTES: Record<Request, () => string> = {
	push: () =>
		`Pushing a document again does no harm, so every transient error is retried, up to _${attempts('push')}_. A request with several documents that gets status 400 or 413 is split first: see [Retries](push-documents.md#retries). A response of success that rejects single documents fails these documents only.`,
	delete: () =>
		`Deleting a document again does no harm, so every transient error is retried, up to _${attempts('delete')}_.`,
	migrate: () =>
		'A migration must not run twice, so it is retried only if the request never reached the service, or after status 429.',
	submit: () =>
		'A text must not be chunked twice, so a submission is retried only if it never reached the service, or after status 429. A token that was refused is renewed.',
	results: () =>
		`The service continues the job whatever happens to a poll. Polling continues after transient errors until _${labelOf('chunk', 'maxWait')}_. The error item has the chunking ID, so _Get Results_ can fetch the chunks later.`,
	token: () =>
		`Without a token nothing is sent to the AI service, so no text is submitted. Executions share token requests, and each ends after 30 seconds. A retry before that waits for the same request: so in the rows below, tested with a _${timeout('token')}_ of 1, one without a response is not sent twice. With a longer timeout it may be.`,
};

const INTRO = (): string[] => [
	'# Reliability',
	'',
	'<!-- Made by `npm run docs:reliability` from what the nodes do in test/chaos; do not edit. -->',
	'',
	'What happens to your items when the service, the network or a proxy fails. Each row was tested: the nodes ran against a service that fails in this way and does not recover.',
	'',
	'## Where failed items go',
	'',
	"_On Error_ in the node's settings decides:",
	'',
	'| On Error | Failed items | All other items |',
	'| --- | --- | --- |',
	'| Stop Workflow | The execution fails with the error of the first one | Not returned, since n8n returns nothing of a node that fails; nothing more is sent |',
	'| Continue | Returned with `error` | Returned |',
	'| Continue (using error output) | Returned on the error output, with `error` | Returned |',
	'',
	'Each input item is returned once, as its results or as its error.',
	'',
	'## How to read the tables',
	'',
	'- **Retried**: whether the node sends the request again by itself. If a later attempt succeeds, so does the item, and a hint counts the retries.',
	'- **Item**: the result if the service does not recover. _Fails, nothing more is sent_ means that all remaining items fail with the same reason, because their requests would fail as well.',
	'- **Took effect**: whether the service did the work, as far as the node can know. If this is unknown, the message says so. A message never says that something was not done if it may have been done.',
	`- A request that takes longer than _${timeout('push')}_ fails, even if a byte arrives now and then.`,
	'- _Assumed_: the interface does not describe the responses to pushes, deletes and migrations, so any status 2xx counts as success. The body of the response is in the output item.',
	'',
];

function effectIn(request: Request, { ends, claim }: Cell['seen']): string {
	if (ends === 'succeeds')
		return ['push', 'delete', 'migrate'].includes(request) ? 'Assumed' : 'Yes';
	if (request === 'results') return 'The job continues';
	return claim === 'unknown' ? 'Unknown' : 'No';
}

function itemIn({ ends, next }: Cell['seen']): string {
	if (ends === 'succeeds') return 'Succeeds';
	return next === 'not sent' ? 'Fails, nothing more is sent' : 'Fails';
}

/** What differs from run to run would make the page differ too. */
const withoutChance = (message: string): string =>
	message
		.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…')
		.replace(/127\.0\.0\.1:\d+/g, 'service.example.com')
		.replace(/\|/g, '\\|')
		.replace(/\s+/g, ' ');

const rowOf = (...cells: string[]): string => `| ${cells.join(' | ')} |`;

/** The page, before it is formatted. The last column of each table is a sample of the wording. */
export function pageOf(cells: Cell[]): string {
	const lines = INTRO();
	for (const request of REQUESTS) {
		lines.push(`## ${HEADINGS[request]}`, '', NOTES[request](), '');
		lines.push(rowOf('What happens', 'Retried', 'Item', 'Took effect', 'Message'));
		lines.push(rowOf('---', '---', '---', '---', '---'));
		for (const row of ROW_KEYS) {
			const seen = cells.find(
				(cell) =>
					cell.request === request &&
					cell.row === row &&
					cell.mode === 'continueRegularOutput',
			)?.seen;
			if (seen === undefined) throw new Error(`${request} was not tried with ${row}`);
			lines.push(
				rowOf(
					ROWS[row].title,
					seen.sentAgain ? 'Yes' : 'No',
					itemIn(seen),
					effectIn(request, seen),
					withoutChance(seen.message),
				),
			);
		}
		lines.push('');
	}
	return lines.join('\n');
}

/** The rows of all tables without the wording of messages, however they are aligned. */
export function factsOf(page: string): string[] {
	return page
		.split('\n')
		.filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
		.map((line) => {
			const cells = line
				.split(/(?<!\\)\|/)
				.slice(1, -1)
				.map((cell) => cell.trim());
			return (cells.length === 5 ? cells.slice(0, 4) : cells).join(' | ');
		});
}
