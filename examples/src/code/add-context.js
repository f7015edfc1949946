/** @import { Item } from '../parts/types' */

/**
 * @typedef {{ parentId: string, name?: unknown, text: string }} Chunk
 * @param {{ chunks: Chunk[] }} inputs
 * @returns {Item<Chunk>[]}
 */
module.exports = ({ chunks }) => {
	// The text in front of each chunk: the name of its document, and the last heading before the chunk.
	/** @type {Map<string, string | undefined>} */
	const headings = new Map();
	return chunks.map((chunk) => {
		const { parentId, name, text } = chunk;
		const beginsWithHeading = /^\s*#{1,6} /.test(text);
		const heading = beginsWithHeading ? '' : headings.get(parentId);
		const found = text.match(/^#{1,6} .+$/gm);
		if (found) headings.set(parentId, found.at(-1));
		const lines = [name, heading, text.trim()].filter((line) => line);
		return { json: { ...chunk, text: lines.join('\n') } };
	});
};
