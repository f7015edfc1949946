module.exports = { checkedSettings };

/**
 * Returns the settings if each of these fits. A guard whose setting was removed or misspelled would be lost in silence.
 *
 * @template {object} Settings
 * @param {Settings} settings
 * @param {string[]} names
 * @returns {Settings}
 * @throws Error that names the first setting that does not fit, and its default
 */
function checkedSettings(settings, names) {
	// Name, type, default, and what else it must be: numbers from `least` to `most`, texts that may be empty.
	/** @type {Record<string, { type: string, standard?: unknown, least?: number, most?: number, isWhole?: boolean, mayBeEmpty?: boolean }>} */
	const rows = {
		sitemap: { type: 'text', standard: 'https://www.example.com/sitemap.xml' },
		exclude: { type: 'text', standard: '', mayBeEmpty: true },
		leaveOut: { type: 'text', standard: '', mayBeEmpty: true },
		mainPart: { type: 'text', standard: '', mayBeEmpty: true },
		readNoindex: { type: 'boolean', standard: false },
		daysUntilReread: { type: 'number', standard: 30, least: 1, most: 3650 },
		// A batch must end before its lock expires.
		secondsBetweenRequests: { type: 'number', standard: 1, least: 0.1, most: 5 },
		folder: { type: 'text', standard: '/documents' },
		url: { type: 'text', standard: '', mayBeEmpty: true },
		prefix: { type: 'text', standard: '', mayBeEmpty: true },
		extensions: { type: 'text', standard: 'pdf, docx, pptx, xlsx, md, txt, html, htm, csv' },
		minutesAtRest: { type: 'number', standard: 5, least: 0, most: 10_080 },
		mostMegabytes: { type: 'number', standard: 20, least: 0.01, most: 1000 },
		fields: { type: 'text', standard: '', mayBeEmpty: true },
		nameSuffix: { type: 'text', standard: '', mayBeEmpty: true },
		titleAsName: { type: 'boolean', standard: false },
		api: { type: 'text', standard: 'Example' },
		site: { type: 'text', standard: 'https://www.example.com' },
		// The default of Sync by Source is another one.
		ignoredFields: { type: 'text', mayBeEmpty: true },
		pushAgain: { type: 'list', standard: [] },
		table: { type: 'text', standard: '', mayBeEmpty: true },
		hoursBetweenRuns: { type: 'number', standard: 24, least: 0.1, most: 8784 },
		mostPerRun: { type: 'number', standard: 1000, least: 1, most: 1_000_000, isWhole: true },
		mostDeletes: { type: 'number', standard: 10, least: 0, most: 10_000_000, isWhole: true },
		mostDeletesPercent: { type: 'number', standard: 5, least: 0, most: 100 },
	};
	for (const name of names) {
		const value = Object(settings)[name];
		const problem = problemOf(value, rows[name]);
		if (problem) {
			const is = value === undefined ? 'is missing' : `is ${JSON.stringify(value)}`;
			const { standard } = rows[name];
			const hint =
				standard === undefined
					? 'It may be empty'
					: `Its default is ${JSON.stringify(standard)}`;
			throw new Error(
				`Nothing was changed: '${name}' in 'Settings' ${is}. It must be ${problem}. ${hint}.`,
			);
		}
	}
	return settings;

	/**
	 * @param {unknown} value
	 * @param {(typeof rows)[string]} row
	 */
	function problemOf(value, { type, least = 0, most = 0, isWhole, mayBeEmpty }) {
		if (type === 'boolean') return typeof value === 'boolean' ? '' : 'true or false';
		if (type === 'list') {
			const ids = [value].flat();
			const isList = ids.every((id) => typeof id === 'string' || Number.isFinite(id));
			return isList ? '' : 'a list of IDs, such as ["a", "b"]';
		}
		if (type === 'text') {
			const isText = typeof value === 'string' && (mayBeEmpty || value.trim() !== '');
			return isText ? '' : `a text${mayBeEmpty ? '' : ' that is not empty'}`;
		}
		const isNumber = typeof value === 'number' && value >= least && value <= most;
		const isRight = isNumber && (!isWhole || Number.isInteger(value));
		return isRight ? '' : `a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`;
	}
}
