/** What users type to find our nodes in the editor, and the nodes they must find first. */
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

/** The same for terms that n8n's own nodes have in their names: ours must be among those found. */
export const SHARED_SEARCH_TERMS: Readonly<Record<string, readonly string[]>> = {
	csv: ['chunkText', 'deleteDocument', 'pushDocuments'],
	'split text': ['chunkText'],
	embed: ['chunkText'],
	remove: ['deleteDocument'],
	unpublish: ['deleteDocument'],
	jsonl: ['chunkText', 'deleteDocument', 'pushDocuments'],
	vector: ['chunkText'],
};
