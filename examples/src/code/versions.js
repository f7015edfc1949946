/** @import { Item } from '../parts/types' */

const { filledFields, namesIn } = require('./shared/fields');
const { murmurHash3 } = require('./shared/murmur-hash');
const { settingsText } = require('./shared/settings-text');

/**
 * @param {{
 *   list: unknown,
 *   fields: string[] | null,
 *   ignoredFields: string,
 *   settings: string,
 *   formerSplit: 'headings' | 'sentences',
 * }} inputs
 * @returns {[Item<{ versions: string[] }>]}
 */
module.exports = ({ list, fields, ignoredFields, settings, formerSplit }) => {
	// The version of a document is a checksum of its fields, and of the settings of the nodes that push it. The order
	// of the fields does not matter.
	const documents = Array.isArray(list) ? list : [];
	const ignored = namesIn(ignoredFields);
	const counted = settingsText(settings, formerSplit);
	/** @type {(key: string, value: unknown) => unknown} */
	const sorted = (key, value) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const names = Object.keys(value).filter((name) => key || !ignored.includes(name));
		return Object.fromEntries(names.sort().map((name) => [name, Object(value)[name]]));
	};
	const versions = documents.map((document) => {
		const compared = fields
			? [...fields.map((name) => document?.[name] ?? null), ...further(document)]
			: document;
		return murmurHash3(`${JSON.stringify(compared, sorted)}${counted}`);
	});
	return [{ json: { versions } }];

	/**
	 * The fields beside the text count only if there are any, so that the versions of other documents stay.
	 * @param {unknown} document
	 */
	function further(document) {
		const others = Object.entries(filledFields(Object(document).fields)).filter(
			([name]) => !ignored.includes(name),
		);
		return others.length > 0 ? [Object.fromEntries(others.sort())] : [];
	}
};
