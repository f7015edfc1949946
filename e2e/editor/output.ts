import type { ChainNode, Subject, Suite } from './suite';
import { describe, ownNode, saveChain } from './suite';

/** Two sections, so two chunks. */
const TEXT = '# Returns\nWithin thirty days.\n# Refunds\nFive working days.';

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
