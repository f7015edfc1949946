import { describe, ownNode, saveChain, type Subject } from './suite';

/** How the model is chosen: by its ID, or from those that the documentation names. */
export const models: Subject = {
	title: 'Choosing a model',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		const { displayName } = describe(nodes, 'chunkText');
		const { id } = await saveChain(suite, 'models', [{}], [ownNode(suite, 'chunkText')]);
		await canvas.open(id);
		const panel = await canvas.openNode(displayName);
		const chosen = await panel.mode('modelId');
		const [first, list = ''] = await panel.modes('modelId');
		checks.add('The model is given By ID first', first === 'By ID' && chosen === first, chosen);
		// n8n calls the other mode "From list", whatever its name.
		await panel.chooseMode('modelId', list);
		const { placeholder, entries, hasSearch } = await panel.openList('modelId');
		checks.add(
			'The list says that its models are those of the documentation',
			/documented/.test(placeholder),
			placeholder,
		);
		checks.add('It has models', entries.length > 1, entries.join(', '));
		checks.add('It has no search box', !hasSearch);
	},
};
