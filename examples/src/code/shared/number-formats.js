module.exports = { formatted, serialOf };
/** @import { NumberFormat } from '../../parts/types' */

/**
 * Returns a number as a cell with this format shows it, in English. Dates whose order depends on the language of the
 * reader's Excel are written as 2026-12-24.
 * @param {number} value
 * @param {NumberFormat} format
 * @param {boolean} is1904 whether dates are counted from 1904
 */
function formatted(value, { id, code }, is1904) {
	const sections = sectionsOf(code ?? builtIn(id));
	const section = sectionFor(sections, value);
	if (section === undefined) return general(value);
	const { tokens } = section;
	const isAbsolute = section.isNegative;
	const number = isAbsolute ? -value : value;
	if (tokens.some(({ type }) => type === 'date')) {
		return dateText(tokens, number, is1904, section.language) ?? general(value);
	}
	return numberText(tokens, number);
}

/**
 * The formats that a file names only by number. Those that Excel shows in the order of the reader's country are written
 * as in ISO 8601.
 * @param {number} id
 */
function builtIn(id) {
	/** @type {Record<number, string>} */
	const codes = {
		...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00' },
		...{ 5: '$#,##0', 6: '$#,##0', 7: '$#,##0.00', 8: '$#,##0.00' },
		...{ 12: '# ?/?', 13: '# ??/??', 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 16: 'd-mmm' },
		...{ 17: 'mmm-yy', 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss' },
		...{ 22: 'yyyy-mm-dd h:mm', 37: '#,##0;(#,##0)', 38: '#,##0;(#,##0)' },
		...{ 39: '#,##0.00;(#,##0.00)', 40: '#,##0.00;(#,##0.00)', 41: '#,##0', 42: '$#,##0' },
		...{ 43: '#,##0.00', 44: '$#,##0.00', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mm:ss.0' },
		...{ 48: '##0.0E+0', 49: '@' },
	};
	const isAsianDate = (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
	const isAsianTime = id >= 32 && id <= 35;
	return codes[id] ?? (isAsianDate ? 'yyyy-mm-dd' : isAsianTime ? 'h:mm:ss' : 'General');
}

/**
 * Cuts a format at its semicolons, and each part into tokens.
 * @param {string} code
 */
function sectionsOf(code) {
	// In this order: a text in quotes, an escaped character, a space as wide as a character, a fill, a bracket, the
	// halves of a day, General, an exponent, a run of letters of a date, and any other character.
	const pattern =
		/"([^"]*)"|\\(.)|_(.)|\*(.)|\[([^\]]*)\]|(am\/pm|a\/p|上午\/下午)|(general|standard)|(e[+-])|(y+|m+|d+|h+|s+|b+|g+)|([^])/gi;
	/** @type {{ tokens: { type: string, text: string }[], condition?: string, language?: string }[]} */
	const sections = [{ tokens: [] }];
	for (const found of code.slice(0, 500).matchAll(pattern)) {
		const [, quoted, escaped, space, fill, bracket, half, word, exponent, letters, other] =
			found;
		const section = sections[sections.length - 1];
		const add = (/** @type {string} */ type, /** @type {string} */ text) =>
			section.tokens.push({ type, text });
		if (other === ';') sections.push({ tokens: [] });
		else if (quoted !== undefined || escaped !== undefined) add('text', quoted ?? escaped);
		else if (space !== undefined) add('text', ' ');
		else if (fill !== undefined) continue;
		else if (bracket !== undefined) {
			const [, currency, language] = /^\$([^-]*)(?:-([\da-f]+))?/i.exec(bracket) ?? [];
			if (currency) add('text', currency);
			if (language) section.language = language.toLowerCase().slice(-4);
			if (/^[<>=]/.test(bracket)) section.condition = bracket;
			if (/^(h+|m+|s+)$/i.test(bracket)) add('date', `[${bracket.toLowerCase()}]`);
		} else if (half !== undefined) add('date', half.toLowerCase() === 'a/p' ? 'a/p' : 'am/pm');
		else if (word !== undefined) add('general', word);
		else if (exponent !== undefined) add('exponent', exponent.toUpperCase());
		else if (letters !== undefined) add('date', letters.toLowerCase());
		else if (/[0#?.,%@/]/.test(other)) add(other === '/' ? 'slash' : 'digit', other);
		else add('text', other);
	}
	return sections;
}

/**
 * Chooses the section for positive numbers, negative ones or zero, or the one whose condition holds.
 * @param {ReturnType<typeof sectionsOf>} sections
 * @param {number} value
 */
function sectionFor(sections, value) {
	const [first, second, third] = sections;
	const isGeneral = first.tokens.length === 0 && sections.length === 1;
	if (isGeneral) return undefined;
	const conditional = sections.slice(0, 2).find(({ condition }) => holds(condition, value));
	if (conditional) return { ...conditional, isNegative: conditional !== first && value < 0 };
	const hasConditions = sections.some(({ condition }) => condition);
	if (hasConditions) {
		const other = sections
			.slice(0, 3)
			.filter(({ condition }) => !condition)
			.at(-1);
		return other && { ...other, isNegative: false };
	}
	if (value < 0 && second) return { ...second, isNegative: true };
	if (value === 0 && third) return { ...third, isNegative: false };
	return { ...first, isNegative: false };
}

/**
 * @param {string | undefined} condition
 * @param {number} value
 */
function holds(condition, value) {
	const [, operator, limit] = /^(<=|>=|<>|<|>|=)\s*(-?[\d.]+)$/.exec(condition ?? '') ?? [];
	if (!operator) return false;
	const difference = value - Number(limit);
	if (operator === '<>') return difference !== 0;
	if (difference === 0) return operator.includes('=');
	return operator.startsWith(difference < 0 ? '<' : '>');
}

/**
 * A number in a cell without a format. Digits that only come from the way computers calculate are left out.
 * @param {number} value
 */
function general(value) {
	const number = Number(value.toPrecision(15));
	const plain = String(number);
	if (!plain.includes('e')) return plain;
	const [digits, power] = number.toExponential().split('e');
	return `${digits}E${power[0]}${power.slice(1).padStart(2, '0')}`;
}

/**
 * @param {{ type: string, text: string }[]} tokens
 * @param {number} value
 */
function numberText(tokens, value) {
	if (tokens.some(({ type, text }) => type === 'general' || text === '@')) {
		return written(tokens, ({ type, text }) =>
			type === 'general' || text === '@' ? general(value) : type === 'text' ? text : '',
		);
	}
	const isPlaceholder = (/** @type {{ type: string, text: string }} */ { type, text }) =>
		type === 'digit' && /[0#?]/.test(text);
	const firstDigit = tokens.findIndex(isPlaceholder);
	if (firstDigit < 0) return written(tokens, ({ text }) => text);
	const isFraction = tokens.some(({ type }) => type === 'slash');
	if (isFraction) return fractionText(tokens, value);
	const lastDigit = tokens.findLastIndex(isPlaceholder);
	const exponentAt = tokens.findIndex(({ type }) => type === 'exponent');
	const mantissa = exponentAt < 0 ? tokens : tokens.slice(0, exponentAt);
	const pattern = mantissa
		.filter(({ type }) => type === 'digit')
		.map(({ text }) => text)
		.join('');
	const [whole, fraction = ''] = pattern.replace(/%/g, '').split('.');
	const scale = /,*$/.exec(pattern.includes('.') ? whole : whole)?.[0].length ?? 0;
	const trailing = /,*$/.exec(fraction)?.[0].length ?? 0;
	const percents = pattern.split('%').length - 1;
	const shown = value * 100 ** percents * 1000 ** -(scale + trailing);
	const isGrouped = /[0#?],+[0#?]/.test(whole);
	const decimals = fraction.replace(/[^0#?]/g, '');
	const digits =
		exponentAt < 0
			? digitsText(shown, whole.replace(/[^0#?]/g, ''), decimals, isGrouped)
			: exponentText(shown, whole.replace(/[^0#?]/g, ''), decimals, tokens.slice(exponentAt));
	let isWritten = false;
	return written(tokens, ({ type, text }, at) => {
		if (type === 'text' || text === '%') return at > firstDigit && at < lastDigit ? '' : text;
		if (isWritten || at < firstDigit) return '';
		isWritten = true;
		return digits;
	});
}

/**
 * @param {{ type: string, text: string }[]} tokens
 * @param {(token: { type: string, text: string }, at: number) => string} write
 */
function written(tokens, write) {
	return tokens.map(write).join('').replace(/\s+/g, ' ').trim();
}

/**
 * @param {number} value
 * @param {string} whole placeholders before the point
 * @param {string} decimals placeholders after it
 * @param {boolean} isGrouped
 */
function digitsText(value, whole, decimals, isGrouped) {
	const places = decimals.length < 30 ? decimals.length : 30;
	const rounded = roundedText(value < 0 ? -value : value, places);
	const [before, after = ''] = rounded.split('.');
	const least = whole.replace(/[^0]/g, '').length;
	let integer = (before === '0' ? '' : before).padStart(least, '0');
	if (isGrouped) integer = integer.replace(/\B(?=(\d{3})+$)/g, ',');
	let end = after;
	for (let at = places - 1; at >= 0 && decimals[at] !== '0' && end[at] === '0'; at--) {
		end = end.slice(0, at);
	}
	const isNegative = value < 0 && /[1-9]/.test(rounded);
	const text = end === '' ? integer : `${integer}.${end}`;
	return `${isNegative ? '-' : ''}${text === '' ? '0' : text.startsWith('.') ? `0${text}` : text}`;
}

/**
 * Rounds as Excel does: 1.005 becomes 1.01, although the computer's number is a bit smaller.
 * @param {number} value
 * @param {number} places
 */
function roundedText(value, places) {
	if (value >= 1e21) return String(BigInt(Math.round(value)));
	const exact = Number(value.toPrecision(15));
	const moved = Number(`${exact}e${places}`);
	const isSafe = moved < 2 ** 53 && !String(exact).includes('e');
	return isSafe
		? Number(`${Math.round(moved)}e-${places}`).toFixed(places)
		: exact.toFixed(places);
}

/**
 * @param {number} value
 * @param {string} whole
 * @param {string} decimals
 * @param {{ text: string }[]} rest the exponent and its placeholders
 */
function exponentText(value, whole, decimals, rest) {
	const size = value < 0 ? -value : value;
	const step = whole.length > 1 ? whole.length : 1;
	let power = size === 0 ? 0 : Number(size.toExponential().split('e')[1]);
	power = Math.floor(power / step) * step;
	let mantissa = Number(`${size}e0`) / 10 ** power;
	if (Number(roundedText(mantissa, decimals.length)) >= 10 ** step) {
		power += step;
		mantissa = size / 10 ** power;
	}
	const digits = digitsText(mantissa, '0', decimals, false);
	const places = rest.filter(({ text }) => text === '0').length;
	const sign = power < 0 ? '-' : rest[0].text.includes('+') ? '+' : '';
	const exponent = String(power < 0 ? -power : power).padStart(places, '0');
	return `${value < 0 ? '-' : ''}${digits}E${sign}${exponent}`;
}

/**
 * @param {{ type: string, text: string }[]} tokens
 * @param {number} value
 */
function fractionText(tokens, value) {
	const slash = tokens.findIndex(({ type }) => type === 'slash');
	const after = tokens
		.slice(slash + 1)
		.map(({ text }) => text)
		.join('');
	const [fixed] = /^\d+/.exec(after.replace(/[?#]/g, '')) ?? [];
	const places = (/^[?#0]+/.exec(after)?.[0] ?? '').length;
	const most = 10 ** (places > 3 ? 3 : places) - 1;
	const size = value < 0 ? -value : value;
	const hasWhole = tokens.slice(0, slash).some(({ type }, at) => type === 'text' && at > 0);
	const whole = hasWhole ? Math.floor(size) : 0;
	let best = { top: 0, bottom: 1, error: Infinity };
	const only = fixed && Number(fixed) > 0 ? Number(fixed) : 0;
	for (let bottom = only || 1; bottom <= (only || most || 9); bottom++) {
		const top = Math.round((size - whole) * bottom);
		const error = Math.abs(top / bottom - (size - whole));
		if (error < best.error - 1e-12) best = { top, bottom, error };
	}
	const carried = hasWhole && best.top === best.bottom ? 1 : 0;
	const integer = whole + carried;
	const top = carried ? 0 : best.top;
	const fraction = top === 0 && hasWhole ? '' : `${top}/${best.bottom}`;
	const text = [hasWhole && (integer > 0 || !fraction) ? String(integer) : '', fraction];
	return `${value < 0 ? '-' : ''}${text.filter((each) => each !== '').join(' ')}`;
}

/**
 * @param {{ type: string, text: string }[]} tokens
 * @param {number} serial days, and the time as a part of a day
 * @param {boolean} is1904
 * @param {string | undefined} language
 */
function dateText(tokens, serial, is1904, language) {
	if (serial < 0 || serial >= 2_958_466) return undefined;
	// F800 and F400 are the long date and the time in the settings of the reader's computer.
	if (language === 'f800') return dateText(plainDate(), serial, is1904, undefined);
	const fractionAt = tokens.findIndex(
		({ text }, at) => text === '.' && tokens[at - 1]?.text.includes('s'),
	);
	let places = 0;
	if (fractionAt >= 0) {
		while (tokens[fractionAt + 1 + places]?.text === '0') places++;
	}
	const unit = 10 ** (3 - (places < 3 ? places : 3));
	const all = Math.round((serial * 86_400_000) / unit) * unit;
	const day = Math.floor(all / 86_400_000);
	const time = all - day * 86_400_000;
	const date = calendarDay(day, is1904);
	const [hours, minutes, seconds] = [
		Math.floor(time / 3_600_000),
		Math.floor(time / 60_000) % 60,
		Math.floor(time / 1000) % 60,
	];
	const isHalf = tokens.some(({ text }) => text === 'am/pm' || text === 'a/p');
	const hour = isHalf ? hours % 12 || 12 : hours;
	return written(tokens, ({ type, text }, at) => {
		if (at > fractionAt && fractionAt >= 0 && at <= fractionAt + places) {
			return (
				String(time % 1000)
					.padStart(3, '0')
					.slice(0, places)[at - fractionAt - 1] ?? '0'
			);
		}
		if (type === 'exponent') return text;
		if (type !== 'date') return text === '@' ? '' : text;
		if (text === 'am/pm') return hours < 12 ? 'AM' : 'PM';
		if (text === 'a/p') return hours < 12 ? 'A' : 'P';
		if (text.startsWith('[')) {
			const units = { h: 3_600_000, m: 60_000, s: 1000 };
			const total = Math.floor(all / units[/** @type {'h' | 'm' | 's'} */ (text[1])]);
			return String(total).padStart(text.length - 2, '0');
		}
		const two = (/** @type {number} */ number) =>
			String(number).padStart(text.length > 1 ? 2 : 1, '0');
		switch (text[0]) {
			case 'h':
				return two(hour);
			case 's':
				return two(seconds);
			case 'm':
				return isMinutes(tokens, at) ? two(minutes) : monthText(date, text, language);
			case 'd':
				return text.length < 3 ? two(date.day) : weekday(day, is1904, text, language);
			case 'y':
				return text.length < 3
					? String(date.year % 100).padStart(2, '0')
					: String(date.year);
			case 'b':
				return String(date.year + 543);
			default:
				return '';
		}
	});
}

function plainDate() {
	return ['yyyy', '-', 'mm', '-', 'dd'].map((text) => ({
		type: text === '-' ? 'text' : 'date',
		text,
	}));
}

/**
 * `m` means minutes after hours or before seconds.
 * @param {{ type: string, text: string }[]} tokens
 * @param {number} at
 */
function isMinutes(tokens, at) {
	if (tokens[at].text.length > 2) return false;
	const dates = tokens.filter(({ type, text }) => type === 'date' && !/^a/.test(text));
	const place = dates.indexOf(tokens[at]);
	const [before, after] = [dates[place - 1]?.text ?? '', dates[place + 1]?.text ?? ''];
	return before.includes('h') || after.includes('s');
}

/**
 * The day of a serial number. For Excel, 1900 was a leap year, so day 60 is 29 February 1900.
 * @param {number} day
 * @param {boolean} is1904
 */
function calendarDay(day, is1904) {
	if (!is1904 && day === 60) return { year: 1900, month: 2, day: 29 };
	if (!is1904 && day === 0) return { year: 1900, month: 1, day: 0 };
	const date = new Date(timeOf(day, is1904));
	return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/**
 * @param {number} day
 * @param {boolean} is1904
 */
function timeOf(day, is1904) {
	if (is1904) return Date.UTC(1904, 0, 1 + day);
	return Date.UTC(1899, 11, (day < 60 ? 31 : 30) + day);
}

/**
 * Returns the serial number of a date such as 2026-12-24T10:00:00.
 * @param {string} text
 * @param {boolean} is1904
 */
function serialOf(text, is1904) {
	const time = Date.parse(/\d{2}:\d{2}/.test(text) && !/z$/i.test(text) ? `${text}Z` : text);
	const serial = (time - Date.UTC(1899, 11, 30)) / 86_400_000;
	return is1904 ? serial - 1462 : serial < 61 ? serial - 1 : serial;
}

/**
 * @param {{ year: number, month: number, day: number }} date
 * @param {string} text
 * @param {string | undefined} language
 */
function monthText({ month }, text, language) {
	if (text.length < 3) return String(month).padStart(text.length, '0');
	const style = text.length === 3 ? 'short' : 'long';
	const name = nameOf(Date.UTC(2001, month - 1, 15), { month: style }, language);
	return text.length === 5 ? name.slice(0, 1) : name;
}

/**
 * @param {number} day
 * @param {boolean} is1904
 * @param {string} text
 * @param {string | undefined} language
 */
function weekday(day, is1904, text, language) {
	const time = is1904 ? timeOf(day, true) : Date.UTC(1899, 11, 30 + day);
	return nameOf(time, { weekday: text.length === 3 ? 'short' : 'long' }, language);
}

/**
 * @param {number} time
 * @param {Intl.DateTimeFormatOptions} options
 * @param {string | undefined} language
 */
function nameOf(time, options, language = '') {
	/** @type {Record<string, string>} */
	const languages = {
		...{ 407: 'de', 807: 'de-CH', c07: 'de-AT', 809: 'en-GB', 40: 'es', '40a': 'es' },
		...{ c0a: 'es', '80a': 'es-MX', '40c': 'fr', 410: 'it', 413: 'nl', 414: 'nb' },
		...{ 406: 'da', '41d': 'sv', '40b': 'fi', 415: 'pl', 405: 'cs', 416: 'pt-BR' },
		...{ 816: 'pt', 419: 'ru', '41f': 'tr', 411: 'ja', 412: 'ko', 804: 'zh-CN' },
	};
	const locale = languages[language.replace(/^0+/, '')] ?? 'en-US';
	return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(time);
}
