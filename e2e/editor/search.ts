import {
	CONTESTED_SEARCH_TERM,
	SEARCH_TERMS,
	SHARED_SEARCH_TERMS,
} from '../../support/search-terms';
import { NodePanel } from '../browser/node-panel';
import type { Subject } from './suite';
import { describe, saveChain } from './suite';

/** n8n's own, above all nodes. */
const TEMPLATE = 'RAG starter template';

/** Users find the nodes by their own words and add them with the keyboard. */
export const search: Subject = {
	title: 'Finding and adding nodes',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		await canvas.open();
		for (const [term, expected] of Object.entries(SEARCH_TERMS)) {
			const found = (await canvas.searchNodes(term)).filter((name) => name !== TEMPLATE);
			const names = expected.map((name) => describe(nodes, name).displayName);
			const first = found.slice(0, names.length);
			checks.add(
				`'${term}' finds ${names.join(', ')} first`,
				names.every((name) => first.includes(name)),
				found.slice(0, names.length + 2).join(', '),
			);
		}
		for (const [term, expected] of Object.entries(SHARED_SEARCH_TERMS)) {
			const found = await canvas.searchNodes(term);
			const names = expected.map((name) => describe(nodes, name).displayName);
			checks.add(
				`'${term}' finds ${names.join(', ')}`,
				names.every((name) => found.includes(name)),
				names
					.map((name) => `${name}: ${found.indexOf(name) + 1} of ${found.length}`)
					.join(', '),
			);
		}
		const { term, node, shorter } = CONTESTED_SEARCH_TERM;
		const found = await canvas.searchNodes(term);
		const { displayName: wanted } = describe(nodes, node);
		const [first] = found.filter((name) => !(shorter as readonly string[]).includes(name));
		checks.add(
			`'${term}' finds ${wanted} first, but for ${shorter.join(', ')}`,
			first === wanted,
			found.slice(0, shorter.length + 1).join(', '),
		);
		for (const description of nodes.values()) {
			const { displayName } = description;
			const { id } = await saveChain(suite, `add ${displayName}`, [{}], []);
			await canvas.open(id);
			await canvas.addFirst(displayName);
			const isAdded = await canvas.node(displayName).isVisible();
			checks.add(`${displayName} is added with Enter`, isAdded);
		}
	},
};

/** "chunk", Enter, Enter adds the operation that most users want. */
export const firstAction: Subject = {
	title: 'Adding the usual action',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		const { displayName, properties } = describe(nodes, 'chunkText');
		const operation = properties.find(({ name }) => name === 'operation');
		const usual = operation?.options?.find(
			(option) => 'value' in option && option.value === operation.default,
		);
		const { id } = await saveChain(suite, 'add the usual action', [{}], []);
		await canvas.open(id);
		await canvas.addFirst('chunk');
		if (!(await canvas.page.locator('[data-test-id="node-parameters"]').first().isVisible()))
			await canvas.openNode(displayName);
		const selected = await new NodePanel(canvas.page).selected('operation');
		checks.add(
			`'chunk', Enter, Enter adds ${usual?.name ?? 'the default operation'}`,
			selected === usual?.name,
			selected,
		);
	},
};
