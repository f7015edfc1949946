import type { Execution } from '../n8n/execution';
import type { Stage } from './stage';

const EXAMPLE = 'compare-chunkers';

/** Returns the code of the node Variants. */
const variants = (...chunkers: Array<[chunker: string, config: object]>) => ({
	Variants: {
		parameters: {
			jsCode: `return ${JSON.stringify(
				chunkers.map(([chunker, config]) => ({
					json: { variant: chunker, chunker, config, model: 'gte-small' },
				})),
			)}`,
		},
	},
});

const rowsOf = (execution: Execution) => execution.items('Table').map(({ json }) => json);

/**
 * Compares the variants of the example. A variant that fails says why, and the others are compared. If all of them fail,
 * the run fails.
 */
export async function compareChunkers(stage: Stage): Promise<void> {
	const { checks } = stage;
	const { sandbox } = stage.demo;
	const before = sandbox.requests.length;
	const execution = await stage.runByHand(EXAMPLE);
	const rows = rowsOf(execution);
	const figures = rows.map(({ rank, variant, meanReciprocalRank, chunks, error }) =>
		JSON.stringify([rank, variant, meanReciprocalRank, chunks, error]),
	);
	const ranks = rows.map(({ meanReciprocalRank }) => Number(meanReciprocalRank));
	checks.add(
		'All variants are compared, the best one is first, and they differ',
		rows.length === 7 &&
			rows.every(({ error }) => error === '') &&
			String(ranks) === String([...ranks].sort((one, other) => other - one)) &&
			ranks[0] > ranks[6] &&
			ranks[0] > 0.7,
		figures.join(' '),
	);
	const submits = sandbox.requests
		.slice(before)
		.filter(({ route }) => route === 'submit')
		.map(({ body }) => body as { batch: object[]; useCaseConfig: { dataType: string } });
	const sent = (type: string) =>
		submits
			.filter(({ useCaseConfig }) => useCaseConfig.dataType === type)
			.reduce((sum, { batch }) => sum + batch.length, 0);
	checks.add(
		'Documents are sent as passages, and questions as queries',
		sent('passage') === 7 * 6 && sent('query') === 7 * 11,
		`${sent('passage')} passages, ${sent('query')} queries`,
	);
	const [page] = execution.items('Page');
	checks.add(
		'The page is an HTML file',
		page?.binary?.data?.mimeType === 'text/html',
		JSON.stringify(page?.binary ?? null).slice(0, 200),
	);
	const partly = rowsOf(
		await stage.runWith(
			EXAMPLE,
			variants(
				['unknown', {}],
				['sentence', { chunkSize: 2 }],
				['dynamic-newline', { maxChunkSize: -1 }],
				['regex-splitter', { regex: '(' }],
			),
		),
	);
	const [good, ...failed] = partly.map(({ rank, variant, error }) => ({ rank, variant, error }));
	checks.add(
		'A variant that fails says why, and the others are compared',
		good?.variant === 'sentence' &&
			good.rank === 1 &&
			good.error === '' &&
			failed.length === 3 &&
			failed.every(({ rank, error }) => rank === null && /failed: .{20}/.test(String(error))),
		JSON.stringify([good, ...failed]),
	);
	const none = await stage.tryWith(EXAMPLE, variants(['unknown', {}]));
	checks.add(
		'If no variant can be compared, the run fails and says why',
		none.status === 'error' && (none.message ?? '').includes('No variant could be compared'),
		`${none.status}: ${none.message}`,
	);
}
