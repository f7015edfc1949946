/** Terms that users search for in the editor, and the nodes that must be found first. */
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

/** Terms in the names of n8n's own nodes. The search must also find these nodes of ours. */
export const SHARED_SEARCH_TERMS: Readonly<Record<string, readonly string[]>> = {
	csv: ['chunkText', 'deleteDocument', 'pushDocuments'],
	'split text': ['chunkText'],
	embed: ['chunkText'],
	remove: ['deleteDocument'],
	unpublish: ['deleteDocument'],
	jsonl: ['chunkText', 'deleteDocument', 'pushDocuments'],
	vector: ['chunkText'],
};
