import addContext from '../../../examples/src/code/add-context';

test('each chunk begins with its title and the last heading of its own document', () => {
	const chunks = [
		{ parentId: 'a', name: 'Kettle', text: '# Cleaning\nUse vinegar.' },
		{ parentId: 'b', name: 'Toaster', text: 'No heading yet.' },
		{ parentId: 'a', name: 'Kettle', text: ' Rinse it.\n## Twice\nThen dry. ', url: 'u' },
		{ parentId: 'a', name: 'Kettle', text: 'End.' },
	];
	expect(addContext({ chunks }).map(({ json }) => json)).toEqual([
		{ parentId: 'a', name: 'Kettle', text: 'Kettle\n# Cleaning\nUse vinegar.' },
		{ parentId: 'b', name: 'Toaster', text: 'Toaster\nNo heading yet.' },
		{
			...{ parentId: 'a', name: 'Kettle', url: 'u' },
			text: 'Kettle\n# Cleaning\nRinse it.\n## Twice\nThen dry.',
		},
		{ parentId: 'a', name: 'Kettle', text: 'Kettle\n## Twice\nEnd.' },
	]);
});
