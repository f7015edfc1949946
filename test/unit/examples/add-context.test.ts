import fc from 'fast-check';

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

test('after any chunks, the heading is the last one of the document before the chunk', () => {
	const line = fc.constantFrom('# One', '## Two', '### Three', 'Text.', 'No # heading');
	const chunk = fc.record({
		parentId: fc.constantFrom('a', 'b'),
		lines: fc.array(line, { minLength: 1, maxLength: 4 }),
	});
	fc.assert(
		fc.property(fc.array(chunk, { maxLength: 8 }), (all) => {
			const chunks = all.map(({ parentId, lines }) => ({ parentId, text: lines.join('\n') }));
			const before: Record<string, string[]> = { a: [], b: [] };
			const expected = all.map(({ parentId, lines }) => {
				const last = before[parentId].findLast((one) => one.startsWith('#'));
				before[parentId].push(...lines);
				const shown = last !== undefined && !lines[0].startsWith('#') ? [last] : [];
				return [...shown, ...lines].join('\n');
			});
			expect(addContext({ chunks }).map(({ json }) => json.text)).toEqual(expected);
		}),
	);
});
