module.exports = { settingsText };

/**
 * Returns the settings of the nodes as they count in versions. Syncs of files once split all texts by sentences, and now
 * split those with headings at the headings. Unless the user changes this, it counts like before, so that an updated
 * sync chunks only files that change. The option Document Fields does not count for the same reason: the fields do.
 * @param {string} settings
 */
function settingsText(settings) {
	const byKind = {
		chunker: 'custom',
		chunkerName: "={{ $json.isByHeading ? 'regex-splitter' : 'dynamic-sentence' }}",
		chunkerConfig: String.raw`={{ $json.isByHeading ? { regex: '\\r?\\n(?=#{1,6} )|\\f' } : {} }}`,
	};
	// n8n adds the empty settings of a chunker.
	const bySentence = { chunker: 'dynamic-sentence', chunkerSettings: {} };
	const [now, before] = [byKind, bySentence].map((members) =>
		JSON.stringify(members).slice(1, -1),
	);
	return settings.replace(now, before).replace(',"documentFields":"={{ $json.fields }}"', '');
}
