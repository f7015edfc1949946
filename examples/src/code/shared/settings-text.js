module.exports = { settingsText };

/**
 * Returns the settings of the nodes as they count in versions. Until the user changes how Chunk Text splits texts, the
 * former way counts in place of the present one, so that an updated sync chunks only documents that change. If the user
 * chooses the former way itself, this is a change. The option Document Fields does not count: the fields do.
 * @param {string} settings
 * @param {'headings' | 'sentences'} formerSplit
 */
function settingsText(settings, formerSplit) {
	const now = {
		chunker: 'custom',
		chunkerName: "={{ $json.isByHeading ? 'regex-splitter' : 'dynamic-sentence' }}",
		chunkerConfig: String.raw`={{ $json.isByHeading ? { regex: '\\r?\\n(?=#{1,6} )|\\f' } : {} }}`,
	};
	// n8n adds the defaults, such as the empty settings of a chunker.
	const former = {
		headings: { chunker: 'regex-splitter', regex: String.raw`\r?\n(?=#{1,6} )` },
		sentences: { chunker: 'dynamic-sentence', chunkerSettings: {} },
	};
	const [present, before] = [now, former[formerSplit]].map((members) =>
		JSON.stringify(members).slice(1, -1),
	);
	const chosen = settings.replace(before, `"chosen":true,${before}`);
	return chosen.replace(present, before).replace(',"documentFields":"={{ $json.fields }}"', '');
}
