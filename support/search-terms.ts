/** What users type to find our nodes in the editor, and the nodes they must find. */
export const SEARCH_TERMS: Readonly<Record<string, readonly string[]>> = {
	lucidworks: ['chunkText', 'deleteDocument', 'migrateBlobs', 'pushDocuments'],
	chunk: ['chunkText'],
	'semantic chunking': ['chunkText'],
	embeddings: ['chunkText', 'pushDocuments'],
	rag: ['chunkText', 'pushDocuments'],
	index: ['deleteDocument', 'pushDocuments'],
	bulk: ['deleteDocument', 'pushDocuments'],
	solr: ['deleteDocument', 'migrateBlobs', 'pushDocuments'],
	'delete from index': ['deleteDocument'],
	fusion: ['migrateBlobs'],
};
