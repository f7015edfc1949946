import message from '../../../examples/src/code/message';

test('a message says what is known', () => {
	const tell = (failure: Parameters<typeof message>[0]['failure']) =>
		message({ failure, statusPage: 'https://status.example' })[0].json.text;
	const workflow = { name: 'Sync' };
	const error = { message: 'Down.', description: 'Try later.' };
	expect(
		tell({ workflow, execution: { lastNodeExecuted: 'Push', url: 'https://n8n/1', error } }),
	).toBe(
		"Sync failed in 'Push'.\nDown.\nTry later.\nThe run: https://n8n/1\nThe service: https://status.example",
	);
	expect(tell({ workflow, trigger: { error: { message: 'No trigger.' } } })).toBe(
		'Sync failed.\nNo trigger.\nThe service: https://status.example',
	);
	expect(tell({ workflow })).toBe(
		'Sync failed.\nn8n does not say why.\nThe service: https://status.example',
	);
});
