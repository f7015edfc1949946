import type { NodeChanges, Stage } from './stage';

const NIGHTLY = 'every-night-a-csv';

/** Invalid files by name. Each entry contains the file's contents and a pattern for the run's error message. */
export const BAD_FILES: Readonly<Record<string, [content: string, why: RegExp]>> = {
	'no-id.csv': ['sku,title\n1,Kettle\n', /id/i],
	'empty.csv': ['', /empty|no records/i],
	'login.csv': ['<!DOCTYPE html><html><body>Sign in</body></html>', /HTML|page/i],
	'only-header.csv': ['id,name,text\n', /The file has 0 records/],
	'same-id.csv': ['id,name,text\nbad/1,One,One\nbad/1,Two,Two\n', /same (document )?ID/],
	'short-row.csv': [
		'id,name,text,price\nbad/2,Two,Two,2\nbad/3,Three,Three\n',
		/1 row of 'short-row.csv' has fewer cells/,
	],
	'cut-off.json': ['[{"id":"cut/1","name":"One"},{"id":"cut/2","na', /end|JSON/i],
};

/** Stores a file in the sandbox. Returns the URL from which workflows can read the file. */
export async function storeFile(stage: Stage, name: string, content: string): Promise<string> {
	const url = `${stage.demo.sandbox.url}/files/${name}`;
	await fetch(url, { method: 'PUT', body: content });
	return url;
}

/**
 * Runs an example with each invalid file, and with a revoked key. Every run must end with an error that names the
 * reason.
 * @param get name of the node that reads the file
 */
export async function failOnBadFiles(stage: Stage, example: string, get: string): Promise<void> {
	const { faults } = stage.demo.sandbox;
	const fails = async (what: string, changes: NodeChanges, why: RegExp) => {
		const { status, message = '' } = await stage.tryWith(example, changes);
		stage.checks.add(
			`${example}: ${what} fails the run and says why`,
			status === 'error' && why.test(message),
			`${status}: ${message}`,
		);
	};
	for (const [name, [content, why]] of Object.entries(BAD_FILES)) {
		const url = await storeFile(stage, name, content);
		await fails(name, { [get]: { parameters: { url } } }, why);
	}
	const missing = `${stage.demo.sandbox.url}/files/missing.csv`;
	await fails('a file that is not there', { [get]: { parameters: { url: missing } } }, /404|not/);
	for (const route of ['push', 'token'] as const) faults.add({ route, status: 401 });
	await fails('a revoked key', {}, /401/);
	faults.clear();
}

/**
 * Pushes a file's rows, either unchanged or as chunks. A row that cannot be pushed makes the run fail, but the other
 * rows are still pushed.
 */
export async function nightlyCsv(stage: Stage): Promise<void> {
	const { checks } = stage;
	const inIndex = () =>
		stage
			.documents()
			.filter(({ id }) => String(id).startsWith('csv/'))
			.map(({ id, vector }) => `${String(id)}${Array.isArray(vector) ? ' with vector' : ''}`)
			.sort()
			.join();
	const sample = await fetch(`${stage.demo.sandbox.url}/files/products.csv`);
	const rows = await sample.text();
	await stage.runByHand(NIGHTLY);
	checks.add('Each row is a document', inIndex() === 'csv/1,csv/2', inIndex());
	await stage.runWith(NIGHTLY, { 'Chunk Text': { disabled: false } });
	checks.add(
		'With Chunk Text turned on, the chunks of each row are in the index too',
		inIndex() === 'csv/1,csv/1#0 with vector,csv/2,csv/2#0 with vector',
		inIndex(),
	);
	await storeFile(stage, 'products.csv', `${rows}csv/3,,No name.\ncsv/4,Lamp,It shines.\n`);
	const { status, message = '' } = await stage.tryByHand(NIGHTLY);
	await storeFile(stage, 'products.csv', rows);
	checks.add(
		'A row that cannot be pushed fails the run, and the rows after it are pushed',
		status === 'error' &&
			message.includes('1 of 4 records failed') &&
			inIndex().includes('csv/4') &&
			!inIndex().includes('csv/3'),
		`${message}; ${inIndex()}`,
	);
	await suspectRows(stage);
	await failOnBadFiles(stage, NIGHTLY, 'Get CSV');
}

/** Checks that a run fails if its file looks incomplete or wrong, even though every row in the file can be pushed. */
async function suspectRows(stage: Stage): Promise<void> {
	// The rows with the same ID are in different requests.
	const rows = Array.from({ length: 600 }, (_, at) => `csv/many-${at % 599},Name,Text\n`).join(
		'',
	);
	const url = await storeFile(stage, 'same-ids.csv', `id,name,text\n${rows}`);
	const { conditions } = stage.demo.workflows[NIGHTLY].nodes.find(
		({ name }) => name === 'Records Look Wrong',
	)?.parameters as { conditions: { conditions: object[] } };
	const [records, ...others] = conditions.conditions;
	const atLeast5 = [{ ...records, rightValue: 5 }, ...others];
	const few = {
		'Records Look Wrong': {
			parameters: { conditions: { ...conditions, conditions: atLeast5 } },
		},
	};
	const tooFew = 'The file has 2 records, fewer than';
	const runs: Array<[what: string, changes: NodeChanges, why: string]> = [
		[
			'two rows with one ID',
			{ 'Get CSV': { parameters: { url } } },
			'the same ID as an earlier document',
		],
		['fewer rows than expected', few, tooFew],
		[
			'fewer rows to chunk than expected',
			{ ...few, 'Chunk Text': { disabled: false } },
			tooFew,
		],
	];
	for (const [what, changes, why] of runs) {
		const { status, message = '' } = await stage.tryWith(NIGHTLY, changes);
		stage.checks.add(
			`${NIGHTLY}: ${what} fail the run`,
			status === 'error' && message.includes(why),
			`${status}: ${message}`,
		);
	}
}

/**
 * Checks that each chunk begins with the document's title and the chunk's own heading, and that each chunk has a
 * vector.
 */
export async function chunksWithContext(stage: Stage): Promise<void> {
	await stage.runByHand('chunks-with-context');
	const chunks = stage.documents().filter(({ id }) => String(id).startsWith('context/kettle#'));
	const texts = chunks.map(({ text }) => String(text));
	stage.checks.add(
		'Each chunk begins with the title, then the heading that it is under',
		JSON.stringify(texts) ===
			JSON.stringify([
				'Kettle K1\n# Cleaning\nUse vinegar.',
				'Kettle K1\n# Cleaning\nRinse it twice.',
				'Kettle K1\n# Warranty\nIt covers two years.',
			]) && chunks.every(({ vector }) => Array.isArray(vector)),
		JSON.stringify(texts),
	);
}
