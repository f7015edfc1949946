/** @import { Item } from '../parts/types' */

const { filledFields } = require('./shared/fields');
const { murmurHash3 } = require('./shared/murmur-hash');
const { settingsText } = require('./shared/settings-text');

/**
 * @param {{ list: unknown, fields: string[] | null, ignoredFields: string[], settings: string }} inputs
 * @returns {[Item<{ versions: string[] }>]}
 */
module.exports = ({ list, fields, ignoredFields, settings }) => {
	// The version of a document is a checksum of its fields, and of the settings of the nodes that push it. The order
	// of the fields does not matter.
	const documents = Array.isArray(list) ? list : [];
	/** @type {(key: string, value: unknown) => unknown} */
	const sorted = (key, value) => {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
		const names = Object.keys(value).filter((name) => key || !ignoredFields.includes(name));
		return Object.fromEntries(names.sort().map((name) => [name, Object(value)[name]]));
	};
	const versions = documents.map((document) => {
		const compared = fields
			? [...fields.map((name) => document?.[name] ?? null), ...further(document)]
			: document;
		return murmurHash3(`${JSON.stringify(compared, sorted)}${settingsText(settings)}`);
	});
	return [{ json: { versions } }];

	/**
	 * The fields beside the text count only if there are any, so that the versions of other documents stay.
	 * @param {unknown} document
	 */
	function further(document) {
		const counted = Object.entries(filledFields(Object(document).fields)).filter(
			([name]) => !ignoredFields.includes(name),
		);
		return counted.length > 0 ? [Object.fromEntries(counted.sort())] : [];
	}
};
