/** Tests that random beginnings of texts are pages only if their tags say so. */
import fc from 'fast-check';

import { afterComments, isPage } from '../../../nodes/shared/service/page';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';

/** The parts of a text, by what they mean. */
const PARTS = {
	blanks: [' ', '\r\n\t', '\ufeff'],
	comments: ['<!-- c -->', '<!---->', '<!--\n<form> `a` --->', '<!--[if IE]><p><![endif]-->'],
	declarations: ['<?xml version="1.0"?>', '<![if IE]>', '<![endif]>'],
	text: ['Please sign in', ' a > b', 'it\'s "so"', '&lt;form&gt;', '/>'],
	'closing tags': ['</div>', '</FORM >', '</>', '</script\n>'],
	'HTML doctypes': ['<!DOCTYPE html>', '<!doctype\nHTML PUBLIC "-//W3C//>">'],
	'other doctypes': ['<!DOCTYPE svg>', '<!doctype rss SYSTEM "html">'],
	'tags of a page': [
		'<html lang="en">',
		'<FORM>',
		'<meta a=b/>',
		"<script src='a>b'>",
		'<title\n>',
	],
	'leading tags': [
		'<div class="a>b<form>">',
		'<P>',
		'<br/>',
		'<h1\ta>',
		"<a href='`'>",
		'<table>',
	],
	'other tags': ['<rss>', '<html-view>', '<svg:title />', '<divs>', '<h7>'],
	Markdown: ['`', 'a `code` '],
	'angle brackets': ['< ', '1 < 2', '<>', '<3'],
	'long comments': [`<!-- ${'x'.repeat(20_000)} -->`],
} as const;

type Kind = keyof typeof PARTS;
const KINDS = Object.keys(PARTS) as Kind[];
const SKIPPED: readonly Kind[] = ['blanks', 'comments', 'declarations'];
const TAGS: readonly Kind[] = [
	...(['HTML doctypes', 'other doctypes'] as const),
	...(['tags of a page', 'leading tags', 'other tags'] as const),
];
const ENDS: readonly Kind[] = ['Markdown', 'angle brackets', 'long comments'];

const TYPES = {
	'no type': '',
	'another type': 'text/plain; charset=utf-8',
	'almost the type of HTML': 'text/html5',
	HTML: 'text/html; charset=utf-8',
	XHTML: ' Application/XHTML+XML',
};

interface Part {
	kind: Kind;
	text: string;
}

const textOf = (parts: Part[]): string => parts.map(({ text }) => text).join('');

const anyPart = (kinds: readonly Kind[]): fc.Arbitrary<Part> =>
	fc
		.constantFrom(...kinds)
		.chain((kind) => fc.constantFrom(...PARTS[kind]).map((text) => ({ kind, text })));

/** Most texts begin with tags that decide nothing, and with what may be between tags. */
const anyParts: fc.Arbitrary<Part[]> = fc
	.tuple(
		fc.array(anyPart(SKIPPED), { maxLength: 2 }),
		fc.array(
			fc
				.tuple(
					anyPart(['leading tags']),
					fc.array(anyPart([...SKIPPED, 'text', 'closing tags']), { maxLength: 3 }),
				)
				.map(([tag, between]) => [tag, ...between]),
			{ maxLength: 14, size: 'max' },
		),
		fc.array(anyPart(KINDS), { maxLength: 5 }),
	)
	.map(([start, groups, rest]) => [...start, ...groups.flat(), ...rest]);

/** The kinds of the tags at the beginning, or none if something else comes first. */
function tagsOf(parts: Part[]): Kind[] {
	const first = parts.findIndex(
		({ kind }) => !SKIPPED.includes(kind) && kind !== 'long comments',
	);
	if (first < 0 || !TAGS.includes(parts[first].kind)) return [];
	const following = parts.slice(first).map(({ kind }) => kind);
	const end = following.findIndex((kind) => ENDS.includes(kind));
	return following
		.slice(0, end < 0 ? following.length : end)
		.filter((kind) => TAGS.includes(kind));
}

/** The first ten tags have one of a page, and before it only those that a page begins with. */
function isPageBy(tags: Kind[], type: keyof typeof TYPES): boolean {
	if (tags.length === 0) return false;
	if (type === 'HTML' || type === 'XHTML' || tags[0] === 'HTML doctypes') return true;
	const decisive = tags
		.slice(0, 10)
		.find((kind) => kind === 'tags of a page' || kind === 'other tags');
	return decisive === 'tags of a page';
}

test('a text is a page if its first tags say so, whatever is between them', () => {
	const variations = new Variations();
	const anyType = fc.constantFrom(...(Object.keys(TYPES) as Array<keyof typeof TYPES>));
	fc.assert(
		fc.property(anyParts, anyType, (parts, type) => {
			const text = textOf(parts);
			const tags = tagsOf(parts);
			const expected = isPageBy(tags, type);
			expect(isPage(text, TYPES[type])).toBe(expected);
			const kinds = parts.map(({ kind }) => kind);
			const hasTag = kinds.includes('tags of a page');
			const isByTag = isPageBy(tags, 'no type') && tags[0] !== 'HTML doctypes';
			const between = kinds
				.slice(kinds.indexOf(tags[0] ?? 'text'), kinds.indexOf('tags of a page'))
				.join();
			variations.note({
				...occurring(KINDS, (name) => kinds.some((kind) => kind === name)),
				...occurring(Object.keys(TYPES), (name) => name === type),
				'a page by its tags': isByTag,
				'a page by its type or doctype': expected && !isByTag,
				'no page': !expected,
				'no page, although it has a tag of a page': !expected && hasTag,
				'more than ten tags before the one of a page': tags.indexOf('tags of a page') > 10,
				'text after a comment': isByTag && /comments,(blanks,)*text/.test(between),
				'a closing tag after a declaration':
					isByTag && /declarations,(blanks,)*closing tags/.test(between),
			});
		}),
		{ numRuns: runs(2000), seed: 1 },
	);
	expect(variations.rarerThan(0.5)).toEqual([]);
});

test('comments and declarations at the beginning are skipped, and nothing else', () => {
	fc.assert(
		fc.property(anyParts, fc.boolean(), (parts, isCut) => {
			const skipped: Kind[] = [...SKIPPED, 'long comments'];
			const first = parts.findIndex(({ kind }) => !skipped.includes(kind));
			const rest = first < 0 ? '' : textOf(parts.slice(first));
			// A comment that does not end hides the rest.
			const text = textOf(parts) + (first < 0 && isCut ? '<!-- <html> --' : '');
			expect(text.slice(afterComments(text))).toBe(rest.trimStart());
		}),
	);
});
