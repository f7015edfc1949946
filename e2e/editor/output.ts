import type { Suite } from './suite';
import { ownNode, saveChain } from './suite';

const NAMELESS = ['one', 'two', 'three'].map((name) => ({ id: `editor/${name}` }));

const DOCUMENTS = ['a', 'b'].map((name) => ({ id: `editor/${name}`, name }));

export async function output(suite: Suite): Promise<void> {
	const push = ownNode(suite, 'pushDocuments');
	await checkOutput(suite, 'A hint tells what was done', [...DOCUMENTS, ...DOCUMENTS], push, [
		/2 documents.*same ID/i,
	]);
	const going = { ...push, onError: 'continueRegularOutput' };
	await checkOutput(suite, 'A hint counts failures', NAMELESS, going, [
		/3 of 3 documents failed\. See the field .error. of the failed items/,
	]);
	const items = [DOCUMENTS[0], { id: 'editor/bad' }];
	// n8n appends the item's index to the message. The node's own description lists all affected items.
	await checkOutput(suite, 'An error names the document, the field and the item', items, push, [
		/'name' of document 'editor\/bad' is missing or empty \[item 1\] /,
		/1 of 2 items has no 'name' \(item 1\)/,
	]);
	const branching = { ...push, onError: 'continueErrorOutput' };
	await checkOutput(suite, 'The success output has the good document', items, branching, [
		/editor\/a/,
	]);
	await suite.canvas.showBranch('Error');
	await suite.checks.eventually(
		'The error output has the bad document',
		async () => await suite.canvas.output(),
		(text) => text.includes('editor/bad') && !text.includes('editor/a'),
	);
}

async function checkOutput(
	suite: Suite,
	what: string,
	items: Array<Record<string, unknown>>,
	node: ReturnType<typeof ownNode>,
	expected: RegExp[],
): Promise<void> {
	const { canvas, checks } = suite;
	await canvas.open(await saveChain(suite, what, items, node));
	await canvas.run();
	await canvas.openNode(node.name);
	await checks.eventually(
		what,
		async () => await canvas.output(),
		(text) => expected.every((words) => words.test(text)),
	);
}
