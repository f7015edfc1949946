/** Terms that users search for in the editor, and the nodes that must appear first in the results for each term. */
export const SEARCH_TERMS: Readonly<Record<string, readonly string[]>> = {
	lucidworks: ['chunkText', 'deleteDocument', 'migrateBlobs', 'pushDocuments'],
	chunk: ['chunkText'],
	'semantic chunking': ['chunkText'],
	embeddings: ['chunkText'],
	rag: ['chunkText', 'pushDocuments'],
	'push d': ['pushDocuments'],
	'search index': ['deleteDocument', 'pushDocuments'],
	bulk: ['deleteDocument', 'pushDocuments'],
	solr: ['deleteDocument', 'pushDocuments'],
	'delete from index': ['deleteDocument'],
	fusion: ['migrateBlobs'],
};

/**
 * Terms that also occur in the names of n8n's own nodes. For these terms, our nodes only have to be among the results.
 */
export const SHARED_SEARCH_TERMS: Readonly<Record<string, readonly string[]>> = {
	csv: ['chunkText', 'deleteDocument', 'pushDocuments'],
	'split text': ['chunkText'],
	embed: ['chunkText'],
	remove: ['deleteDocument'],
	unpublish: ['deleteDocument'],
	jsonl: ['chunkText', 'deleteDocument', 'pushDocuments'],
	vector: ['chunkText'],
};
