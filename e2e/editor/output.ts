import { DEMO } from '../../sandbox';
import { seconds } from '../shared/progress';
import type { ChainNode, Subject, Suite } from './suite';
import { describe, ownNode, saveChain } from './suite';

/** Two sections, so two chunks. */
const TEXT = '# Returns\nWithin thirty days.\n# Refunds\nFive working days.';
const DOCUMENT = {
	id: 'editor/returns.md',
	name: 'Returns',
	url: 'https://example.com/returns',
	text: TEXT,
};

/** What most users do: chunk, push, and check the output. */
export const output: Subject = {
	title: 'Running nodes and reading their output',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		const chunking = describe(nodes, 'chunkText').displayName;
		const pushing = describe(nodes, 'pushDocuments').displayName;
		const { id } = await saveChain(
			suite,
			'chunk and push',
			[DOCUMENT],
			[
				ownNode(suite, 'chunkText', { modelId: 'gte-small' }),
				ownNode(suite, 'pushDocuments'),
			],
		);
		await canvas.open(id);
		const said = await canvas.run();
		checks.add(
			'Chunk and push succeeds with nothing set but the model',
			/success/i.test(said),
			said,
		);
		const indexed = suite.demo.sandbox
			.documents(DEMO.endpoint)
			.filter(({ id: chunk }) => String(chunk).startsWith(DOCUMENT.id));
		checks.add('Its chunks are in the index', indexed.length > 0, `${indexed.length}`);
		const vectors = indexed.filter(({ vector }) => Array.isArray(vector));
		checks.add(
			'They have their vectors as lists of numbers',
			indexed.length > 0 && vectors.length === indexed.length,
		);
		for (const name of [chunking, pushing]) {
			const panel = await canvas.openNode(name);
			const columns = await panel.columns();
			checks.add(
				`The output of ${name} begins with the ID`,
				columns[0] === 'id',
				columns.join(),
			);
			await panel.close();
		}
	},
};

/** More entries than a user would count in the output. */
const MANY = 101;

/** Documents without a name, which no push accepts. */
const NAMELESS = ['one', 'two', 'three'].map((name) => ({ id: `editor/${name}` }));

const documents = (count: number) =>
	Array.from({ length: count }, (_, at) => ({ id: `editor/${at}`, name: `Number ${at}` }));

/** Hints say what a run did beyond the obvious. */
export const hints: Subject = {
	title: 'Reading hints',
	async run(suite) {
		const push = ownNode(suite, 'pushDocuments');
		const going = { ...push, onError: 'continueRegularOutput' };
		const same = ['first', 'second'].map((name) => ({ id: 'editor/same', name }));
		await checkHint(suite, 'documents with the same ID', same, push, /1 document.*same ID/i);
		await checkHint(
			suite,
			'failures',
			NAMELESS,
			going,
			/3 of 3 documents failed\. The field .error. of their items says why/,
		);
		const pushed = /101 documents pushed in 1 request, [\d.]+ s/;
		await checkHint(suite, 'pushed documents', documents(MANY), push, pushed);
		const chunk = ownNode(suite, 'chunkText', { modelId: 'gte-small', vectors: 'none' });
		const texts = documents(MANY).map((json) => ({ ...json, text: TEXT }));
		const chunked = /101 texts chunked in \d+ requests, [\d.]+ s/;
		await checkHint(suite, 'chunked texts', texts, chunk, chunked);
		const [first, second] = documents(2);
		const commit = ownNode(suite, 'deleteDocument', { commit: 'lastDeleteOnly' });
		const committed = /1 document deleted\. The service accepted the commit/;
		await checkHint(suite, 'a commit of deletes', [first], commit, committed);
		const wait = ownNode(suite, 'deleteDocument', { commit: 'serviceDefault' });
		const later = /1 document deleted\. .*once a minute/;
		await checkHint(suite, 'deletes that are committed later', [second], wait, later);
	},
};

async function checkHint(
	suite: Suite,
	what: string,
	items: Array<Record<string, unknown>>,
	node: ChainNode,
	hint: RegExp,
): Promise<void> {
	const { canvas, checks } = suite;
	const { id } = await saveChain(suite, `hints: ${what}`, items, [node]);
	await canvas.open(id);
	await canvas.run();
	const panel = await canvas.openNode(node.name);
	const text = (await panel.outputText()).replace(/\s+/g, ' ');
	checks.add(
		`A hint tells of ${what}`,
		hint.test(text),
		hint.test(text) ? '' : text.slice(0, 300),
	);
}

/** Errors name the reason first, in the panel and on the error output. */
export const errors: Subject = {
	title: 'Reading errors',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		const { displayName } = describe(nodes, 'pushDocuments');
		const items = [{ id: 'editor/good', name: 'Good' }, { id: 'editor/bad' }];
		const stopping = await saveChain(suite, 'an error', items, [
			ownNode(suite, 'pushDocuments'),
		]);
		await canvas.open(stopping.id);
		await canvas.run();
		const panel = await canvas.openNode(displayName);
		const text = await panel.outputText();
		checks.add(
			'An error names the document and the field',
			/editor\/bad/.test(text) && /'name'/.test(text),
		);
		checks.add(
			'An error names the item once',
			(text.match(/\[?\bitem \d+/gi) ?? []).length <= 1,
			text,
		);
		const going = await saveChain(suite, 'the error output', items, [
			ownNode(suite, 'pushDocuments', {}, { onError: 'continueErrorOutput' }),
		]);
		await canvas.open(going.id);
		await canvas.run();
		const branches = await canvas.openNode(displayName);
		const good = await branches.outputText();
		checks.add('The success output has the good document', good.includes('editor/good'));
		await branches.showBranch('Error');
		const bad = await branches.outputText();
		checks.add('The error output has the bad document', bad.includes('editor/bad'));
	},
};

/** A run that is stopped ends at once and sends nothing more. */
export const stopping: Subject = {
	title: 'Stopping a run',
	async run(suite) {
		const { canvas, checks, demo } = suite;
		const { sandbox } = demo;
		const { chunkDelayMs } = sandbox.settings;
		const waiting = { name: 'Wait', type: 'n8n-nodes-base.wait', parameters: { amount: 60 } };
		const usual = await stop(suite, 'stop a wait', waiting);
		const polling = ownNode(suite, 'chunkText', { modelId: 'gte-small' });
		sandbox.settings.chunkDelayMs = 600_000;
		try {
			const { said, ms } = await stop(suite, 'stop', polling);
			checks.add(
				`A stopped run ends in at most ${MAX_STOP_RATIO} times the time of n8n's Wait node`,
				ms <= MAX_STOP_RATIO * Math.max(usual.ms, LEAST_STOP_MS),
				`${seconds(ms)}, Wait ${seconds(usual.ms)}`,
			);
			checks.add('The editor says that it was stopped', /stopped|cancel/i.test(said), said);
			const before = sandbox.requests.length;
			await canvas.page.waitForTimeout(POLLING_MS);
			checks.add('A stopped run sends nothing more', sandbox.requests.length === before);
		} finally {
			sandbox.settings.chunkDelayMs = chunkDelayMs;
		}
	},
};

/** Runs a node that waits, and stops it; returns what the editor says, and after what time. */
async function stop(
	suite: Suite,
	name: string,
	node: ChainNode,
): Promise<{ said: string; ms: number }> {
	const { canvas } = suite;
	const { id } = await saveChain(suite, name, [DOCUMENT], [node]);
	await canvas.open(id);
	await canvas.page.locator('[data-test-id="execute-workflow-button"]').click();
	const button = canvas.page.locator('[data-test-id="stop-execution-button"]');
	await button.waitFor();
	await canvas.page.waitForTimeout(POLLING_MS);
	const startedAt = Date.now();
	await button.click();
	const said = await canvas.notification();
	return { said, ms: Date.now() - startedAt };
}

/** Long enough for a poll. */
const POLLING_MS = 3_000;

/** How much longer than n8n's own node a stopped run may take. */
const MAX_STOP_RATIO = 3;

/** The editor takes a moment in any case; less is not worth a comparison. */
const LEAST_STOP_MS = 1_000;
