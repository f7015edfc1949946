import { p, r, word } from './support/office-files';

const style = (id: string, name: string, more = '') =>
	`<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
const styled = (id: string) => `<w:pStyle w:val="${id}"/>`;
const field = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
const code = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const inP = (...runs: string[]) => `<w:p>${runs.join('')}</w:p>`;
const cell = (text: string, properties = '') =>
	`<w:tc>${properties && `<w:tcPr>${properties}</w:tcPr>`}${p(text)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const table = (...rows: string[]) => `<w:tbl><w:tblPr/>${rows.join('')}</w:tbl>`;
const box = (text: string) => `<w:txbxContent>${p(text)}</w:txbxContent>`;

const STYLES = [
	style('berschrift1', 'heading 1'),
	style('berschrift2', 'heading 2', '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
	style('Kapitel', 'Kapitel', '<w:basedOn w:val="berschrift2"/>'),
	style('Titel', 'Title'),
	style('Eigene', 'My own', '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
	style(
		'Text',
		'Body',
		'<w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>',
	),
	style('Geheim', 'Secret', '<w:rPr><w:vanish/></w:rPr>'),
].join('');

describe('the text of a Word file', () => {
	test.each([
		['a built-in style, whose ID is in the language of Word', styled('berschrift1'), '# H'],
		['a level of a style', styled('berschrift2'), '## H'],
		['a style that is based on a heading', styled('Kapitel'), '## H'],
		["a style of one's own with a level", styled('Eigene'), '### H'],
		['the title', styled('Titel'), '# H'],
		['a level of the paragraph', '<w:outlineLvl w:val="3"/>', '#### H'],
		['a level below 6', '<w:outlineLvl w:val="8"/>', '###### H'],
		['a style whose level is that of texts', styled('Text'), 'H'],
		[
			'a heading whose level is switched off',
			`${styled('berschrift1')}<w:outlineLvl w:val="9"/>`,
			'H',
		],
		['an unknown style', styled('Heading1'), 'H'],
	])('%s', async (_, properties, expected) => {
		const result = await word(p('H', properties) + p('Text'), { styles: STYLES });
		expect(result).toEqual({ text: `${expected}\n\nText` });
	});

	test('without a part for styles, the ID says that it is a heading', async () => {
		expect(await word(p('H', styled('Heading2')) + p('T'))).toEqual({ text: '## H\n\nT' });
	});

	test('a heading is one line, and an empty one is none', async () => {
		const heading = `<w:p><w:pPr>${styled('berschrift1')}</w:pPr>${r('One')}<w:r><w:br/></w:r>${r('two')}</w:p>`;
		const { text } = await word(heading + p(' ', styled('berschrift1')), { styles: STYLES });
		expect(text).toBe('# One two');
	});

	test('a line that only looks like a heading is none', async () => {
		const body = `${p('# No heading')}<w:p>${r('One')}<w:r><w:br/></w:r>${r('## Two')}</w:p>${p('#hash')}`;
		expect(await word(body)).toEqual({ text: ' # No heading\n\nOne\n ## Two\n\n#hash' });
		expect(await word(p('A') + body)).toEqual({
			text: 'A\n\n # No heading\n\nOne\n ## Two\n\n#hash',
		});
	});

	test('tabs, line breaks, hyphens, symbols, references and spaces', async () => {
		const runs = [
			r(' A '),
			'<w:r><w:tab/><w:t>B</w:t><w:br/><w:t>C</w:t><w:noBreakHyphen/><w:t>D</w:t></w:r>',
			'<w:r><w:t>soft</w:t><w:softHyphen/><w:t>\u00adhyphen</w:t></w:r>',
			'<w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/></w:r>',
			r('&lt;x&gt; &amp; &#8364; &#xD83D;&#xDE00;<![CDATA[<y>]]>'),
		].join('');
		expect(await word(`<w:p>${runs}</w:p>`)).toEqual({
			text: 'A \tB\nC-Dsofthyphen✔α<x> & € 😀<y>',
		});
	});

	test('inserted and moved text, but no deleted, hidden or commented text', async () => {
		const body = inP(
			`<w:ins w:id="1">${r('new ')}</w:ins>`,
			'<w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del>',
			`<w:moveFrom w:id="3">${r('from')}</w:moveFrom><w:moveTo w:id="4">${r('to ')}</w:moveTo>`,
			r('hidden', '<w:vanish/>') + r('shown', '<w:vanish w:val="0"/>'),
			r('by style', '<w:rStyle w:val="Geheim"/>'),
			'<w:r><w:commentReference w:id="0"/></w:r>',
		);
		const comments = `<w:comment w:id="0">${p('A comment')}</w:comment>`;
		const result = await word(body + p('hidden paragraph', styled('Geheim')), {
			...{ comments, styles: STYLES, header1: p('A header'), footer1: p('A footer') },
		});
		expect(result).toEqual({ text: 'new to shown' });
	});

	test('a paragraph whose end was deleted continues in the next one', async () => {
		const body = p('One ', '<w:rPr><w:del w:id="1"/></w:rPr>') + p('paragraph.') + p('Next.');
		expect(await word(body)).toEqual({ text: 'One paragraph.\n\nNext.' });
	});

	test('the words of links and the results of fields, also of nested ones and over paragraphs', async () => {
		const link = `<w:hyperlink r:id="rId9">${r('our site')}</w:hyperlink>`;
		const simple = `<w:fldSimple w:instr="PAGE">${r('7')}</w:fldSimple>`;
		const nested = [
			field('begin') + code('IF ') + field('begin') + code('PAGE') + field('separate'),
			r('code') + field('end') + code('= 1') + field('separate') + r('result') + field('end'),
		];
		const over = [
			inP(field('begin'), code('TOC'), field('separate'), r('First 1')),
			inP(r('Second 2'), field('end'), r(' after')),
		];
		const body = inP(r('See '), link, r(' '), simple, r(' '), ...nested) + over.join('');
		expect(await word(body)).toEqual({
			text: 'See our site 7 result\n\nFirst 1\n\nSecond 2 after',
		});
	});

	test('footnotes and endnotes follow their paragraph', async () => {
		const footnotes = [
			'<w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>',
			`<w:footnote w:id="5"><w:p><w:r><w:footnoteRef/></w:r>${r(' A note.')}</w:p>${p('More.')}</w:footnote>`,
			`<w:footnote w:id="6">${p('Another.')}</w:footnote>`,
		].join('');
		const endnotes = `<w:endnote w:id="5">${p('At the end.')}</w:endnote>`;
		const body =
			inP(
				r('One'),
				'<w:r><w:footnoteReference w:id="6"/></w:r>',
				r(' and two'),
				'<w:r><w:footnoteReference w:id="5"/><w:endnoteReference w:id="5"/></w:r>',
			) + p('Next.');
		expect(await word(body, { footnotes, endnotes })).toEqual({
			text: 'One[1] and two[2][e1]\n\n[1] Another.\n\n[2] A note. More.\n\n[e1] At the end.\n\nNext.',
		});
	});

	test('a table has a line for each row, with the names of the columns', async () => {
		const body = table(
			row(cell('Name'), cell('Price')),
			row(cell('Ladder'), `<w:tc>${p('79')}${p('net')}</w:tc>`),
			`<w:tr><w:trPr><w:del/></w:trPr>${cell('Deleted')}${cell('1')}</w:tr>`,
			row(cell('Saw'), cell('')),
		);
		expect(await word(p('Before') + body + p('After'))).toEqual({
			text: 'Before\n\nName: Ladder; Price: 79 net\n\nName: Saw\n\nAfter',
		});
	});

	test('merged cells keep their columns, and those below each other their text', async () => {
		const body = table(
			row(cell('Tools', '<w:gridSpan w:val="3"/>')),
			row(cell('Kind'), cell('Name'), cell('Price')),
			row(cell('Hand', '<w:vMerge w:val="restart"/>'), cell('Saw'), cell('20')),
			row(cell('', '<w:vMerge/>'), cell('Hammer'), cell('12')),
			row(cell('None', '<w:gridSpan w:val="2"/>'), cell('0')),
		);
		expect(await word(body)).toEqual({
			text: [
				'Tools',
				'Kind: Hand; Name: Saw; Price: 20',
				'Kind: Hand; Name: Hammer; Price: 12',
				'Kind: None; Price: 0',
			].join('\n\n'),
		});
	});

	test('a table of one column is a frame, and a table in a cell is in its line', async () => {
		const inner = table(row(cell('a'), cell('b')), row(cell('1'), cell('2')));
		const frame = table(`<w:tr><w:tc>${p('One')}${p('Two')}</w:tc></w:tr>`);
		expect(await word(frame)).toEqual({ text: 'One\n\nTwo' });
		const outer = table(
			row(cell('X'), cell('Y')),
			row(`<w:tc>${inner}<w:p/></w:tc>`, cell('z')),
		);
		expect(await word(outer)).toEqual({ text: 'X: a: 1; b: 2; Y: z' });
	});

	test('lists have their marks and numbers', async () => {
		const level = (at: number, format: string, text: string) =>
			`<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
		const numbering = [
			`<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum>`,
			`<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '\uf0b7')}${level(1, 'bullet', 'o')}</w:abstractNum>`,
			`<w:abstractNum w:abstractNumId="2">${level(0, 'upperRoman', 'Part %1')}</w:abstractNum>`,
			'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
			'<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>',
			'<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>',
			'<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>',
		].join('');
		const styles = style(
			'Part',
			'heading 1',
			'<w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr>',
		);
		const item = (text: string, id: number, at = 0) =>
			p(text, `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${id}"/></w:numPr>`);
		const body = [
			p('Ladders', styled('Part')),
			item('one', 1) +
				item('sub', 1, 1) +
				item('sub', 1, 1) +
				item('two', 1) +
				item('sub', 1, 1),
			p('Text'),
			item('three', 1) + item('bullet', 2) + item('below', 2, 1) + item('five', 3),
			item('none', 0),
			p('Saws', styled('Part')),
		].join('');
		expect(await word(body, { numbering, styles })).toEqual({
			text: [
				'# Part I Ladders',
				'1. one\n  1.a) sub\n  1.b) sub\n2. two\n  2.a) sub',
				'Text',
				'3. three\n- bullet\n  - below\n5. five',
				'none',
				'# Part II Saws',
			].join('\n\n'),
		});
	});

	test('a text box is read once, after its paragraph', async () => {
		const twice = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box('In a box')}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box('In a box')}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
		const old = `<w:r><w:pict><v:textbox>${box('Old box')}</v:textbox></w:pict></w:r>`;
		expect(await word(inP(r('Anchor'), twice, old, r('.')) + p('Next'))).toEqual({
			text: 'Anchor.\n\nIn a box\n\nOld box\n\nNext',
		});
	});

	test('content controls, formulas and readings of words', async () => {
		const control = `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${p('Chosen')}</w:sdtContent></w:sdt>`;
		const formula = inP(
			r('E = '),
			'<m:oMath><m:r><m:t>mc</m:t></m:r><m:r><m:t>2</m:t></m:r></m:oMath>',
		);
		const ruby = inP(
			`<w:r><w:ruby><w:rt>${r('かん')}</w:rt><w:rubyBase>${r('漢')}</w:rubyBase></w:ruby></w:r>`,
		);
		expect(await word(control + formula + ruby)).toEqual({
			text: 'Chosen\n\nE = mc2\n\n漢(かん)',
		});
	});

	test('without a text there is a problem', async () => {
		expect(await word('<w:p><w:r><w:drawing><pic/></w:drawing></w:r></w:p>')).toEqual({
			problem: expect.stringMatching(/^has pictures, but no text/),
		});
		expect(await word('<w:p/>')).toEqual({ problem: 'has no text that can be read' });
		expect(await word('<w:altChunk r:id="rId1"/>')).toEqual({
			problem: expect.stringMatching(/^contains a document of another format/),
		});
	});
});
