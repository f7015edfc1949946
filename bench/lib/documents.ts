import type { IDataObject } from 'n8n-workflow';

const WORDS =
	'search index document passage vector push delete batch query result field source'.split(' ');

/**
 * Makes documents. By default, each has 1 KB of JSON. The strings of the documents do not share memory, just like the
 * strings in a parsed response.
 *
 * @param first the number of the first document
 */
export function makeDocuments(count: number, bytes = 1024, first = 0): IDataObject[] {
	return Array.from({ length: count }, (_, at) => {
		const index = first + at;
		const document = {
			id: `document-${index}`,
			name: `Document number ${index}`,
			description: `What document ${index} is about`,
			url: `https://example.com/documents/${index}`,
			category: WORDS[index % WORDS.length],
			price: index / 100,
			tags: [WORDS[(index + 1) % WORDS.length], WORDS[(index + 2) % WORDS.length]],
			body: '',
		};
		const left = bytes - JSON.stringify(document).length;
		let body = '';
		for (let word = index; body.length < left; word += 7) body += `${WORDS[word % 12]} `;
		document.body = body.slice(0, left);
		// Parsing gives each document its own strings. Otherwise, the documents would share the memory of the strings
		// above.
		return JSON.parse(JSON.stringify(document)) as IDataObject;
	});
}
