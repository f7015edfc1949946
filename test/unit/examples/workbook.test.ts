import { formatted } from '../../../examples/src/code/shared/number-formats';
import { book, c, rows } from './support/office-files';

const n = (value: number | string, style = 0) => `<c s="${style}"><v>${value}</v></c>`;

describe('the text of a workbook', () => {
	test('all sheets by name, without hidden ones and charts', async () => {
		const result = await book([
			{ name: 'Prices', xml: rows([c('Name'), c('Price')], [c('Ladder'), n(79.5)]) },
			{ name: 'Secret', xml: rows([c('x')]), state: 'hidden' },
			{ name: 'Very', xml: rows([c('x')]), state: 'veryHidden' },
			{ name: 'Chart', xml: '', type: 'chartsheet' },
			{ name: 'Empty', xml: rows([]) },
			{ name: 'A &amp; B', xml: rows([c('Only')]) },
		]);
		expect(result).toEqual({
			text: '# Prices\n\nName: Ladder; Price: 79.5\n\n# A & B\n\nOnly',
		});
	});

	test('a single sheet needs no name', async () => {
		expect(await book([{ name: 'Sheet1', xml: rows([c('Only')]) }])).toEqual({ text: 'Only' });
	});

	test('shared and rich texts, booleans, errors, values of formulas and dates of ISO', async () => {
		const strings =
			'<si><t>Name</t></si><si><r><rPr><b/></rPr><t>Lad</t></r><r><t xml:space="preserve">der _x000D_x</t></r><rPh><t>no</t></rPh></si>';
		const cells = [
			'<c t="s"><v>1</v></c>',
			'<c t="b"><v>1</v></c>',
			'<c t="b"><v>0</v></c>',
			'<c t="e"><v>#DIV/0!</v></c>',
			'<c><f>A1*2</f><v>158</v></c>',
			'<c t="str"><f>A1</f><v>text</v></c>',
			'<c t="str"><f>""</f><v></v></c>',
			'<c t="d"><v>2026-12-24T10:30:00</v></c>',
		];
		const xml = rows(['<c t="s"><v>0</v></c>', c('x')], cells);
		expect(await book([{ name: 'S', xml }], { strings })).toEqual({
			text: 'Name: Ladder x; x: TRUE; FALSE; #DIV/0!; 158; text; 2026-12-24',
		});
	});

	test('formulas that nobody has computed are named', async () => {
		const xml = rows([c('Sum')], ['<c r="A2"><f>1+1</f></c>']);
		expect(await book([{ name: 'S', xml }])).toEqual({
			text: 'Sum',
			readInPart: expect.stringMatching(
				/^has 1 formulas without a value, such as S!A2: open it in Excel/,
			),
		});
		const only = rows(['<c r="A1"><f>1+1</f></c>']);
		expect((await book([{ name: 'S', xml: only }])).problem).toMatch(/^has only 1 formulas/);
	});

	test('cells have their columns, whatever was left out', async () => {
		const cell = (at: string, text: string) =>
			`<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
		const xml = rows(
			[cell('B1', 'Name'), cell('AA1', 'Price')],
			[],
			[cell('AA3', '5'), cell('XFD3', 'far')],
		);
		expect(await book([{ name: 'S', xml }])).toEqual({ text: 'Price: 5; far' });
	});

	test('merged cells belong to each of their rows, and a title to no column', async () => {
		const xml =
			rows(
				[c('Prices of 2026')],
				[c('Kind'), c('Name')],
				[c('Hand'), c('Saw')],
				['<c r="B4" t="inlineStr"><is><t>Hammer</t></is></c>'],
			) + '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A3:A4"/></mergeCells>';
		expect(await book([{ name: 'S', xml }])).toEqual({
			text: 'Prices of 2026\n\nKind: Hand; Name: Saw\n\nKind: Hand; Name: Hammer',
		});
	});

	test('numbers have the format of their style', async () => {
		const styles =
			'<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="#,##0.00\\ [$€-407]"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="10"/><xf numFmtId="14"/></cellXfs>';
		const cells = [n(46380, 1), n(1234.5, 2), n(0.125, 3), n(46380, 4), n(46380)];
		const sheets = [{ name: 'S', xml: rows([c('a'), c('b')], cells) }];
		expect(await book(sheets, { styles })).toEqual({
			text: 'a: 24.12.2026; b: 1,234.50 €; 12.50%; 2026-12-24; 46380',
		});
		const properties = '<workbookPr date1904="1"/>';
		expect((await book(sheets, { styles, properties })).text).toMatch(
			/^a: 25.12.2030;.*2030-12-25/,
		);
	});

	test('a workbook without anything is named', async () => {
		expect(await book([{ name: 'S', xml: rows([]) }])).toEqual({
			problem: 'has nothing in its sheets',
		});
	});
});

describe('a number in a cell', () => {
	const at = (value: number, id: number) => formatted(value, { id }, false);
	const by = (value: number, code: string, is1904 = false) =>
		formatted(value, { id: 164, code }, is1904);

	test.each([
		[0, 0.1 + 0.2, '0.3'],
		[0, 4006381333931, '4006381333931'],
		[0, 1.5e22, '1.5E+22'],
		[0, 1.5e-7, '1.5E-07'],
		[0, -2, '-2'],
		[1, 2.5, '3'],
		[2, 1.005, '1.01'],
		[2, -0.001, '0.00'],
		[3, 1234567.8, '1,234,568'],
		[4, -1234.5, '-1,234.50'],
		[9, 0.155, '16%'],
		[10, 0.155, '15.50%'],
		[11, 12345, '1.23E+04'],
		[12, 1.5, '1 1/2'],
		[13, 0.3333, '1/3'],
		[14, 46380, '2026-12-24'],
		[15, 46380, '24-Dec-26'],
		[16, 46380, '24-Dec'],
		[17, 46380, 'Dec-26'],
		[18, 0.5625, '1:30 PM'],
		[19, 0.0000115741, '12:00:01 AM'],
		[20, 0.5625, '13:30'],
		[21, 0.5625, '13:30:00'],
		[22, 46380.5, '2026-12-24 12:00'],
		[37, -1234, '(1,234)'],
		[40, -1234.5, '(1,234.50)'],
		[45, 0.0503, '12:26'],
		[46, 1.5, '36:00:00'],
		[47, 0.000005787, '00:00.5'],
		[48, 12345, '12.3E+3'],
		[49, 12, '12'],
	])('format %i shows %d as %s', (id, value, shown) => {
		expect(at(value, id)).toBe(shown);
	});

	test.each([
		['General', 1.25, '1.25'],
		['0.0#', 1.5, '1.5'],
		['0.0#', 1.567, '1.57'],
		['#.##', 0, '0'],
		['00000', 123, '00123'],
		['0.00', 0.999, '1.00'],
		['#,##0', 0, '0'],
		['#,##0,', 1_234_567, '1,235'],
		['0.0,,"M"', 1_234_567, '1.2M'],
		['"Nr. "0', 5, 'Nr. 5'],
		['0 "pieces"', 5, '5 pieces'],
		['#,##0.00\\ "€"', 1234.5, '1,234.50 €'],
		['[$£-809]#,##0.00', 1234.5, '£1,234.50'],
		['[Red]-0.00;[Blue]0.00', -1.5, '1.50'],
		['0;-0;"none"', 0, 'none'],
		['0;(0)', -5, '(5)'],
		['[<1]0%;0.0', 0.5, '50%'],
		['[<1]0%;0.0', 2, '2.0'],
		['[>=1000]0,"k";0', 2500, '3k'],
		['_-* #,##0.00 €_-;-* #,##0.00 €_-', -2, '-2.00 €'],
		['@', 5, '5'],
		['"only text"', 5, 'only text'],
		['yyyy-mm-dd hh:mm:ss', 46380.75, '2026-12-24 18:00:00'],
		['dddd, d mmmm yyyy', 46380, 'Thursday, 24 December 2026'],
		['[$-407]d. mmmm yyyy', 46380, '24. Dezember 2026'],
		['[$-F800]dddd, mmmm dd, yyyy', 46380, '2026-12-24'],
		['[$-40C]mmmm', 46380, 'décembre'],
		['mmmmm', 46380, 'D'],
		['ddd', 46380, 'Thu'],
		['m/d/yy', 46380, '12/24/26'],
		['h:mm a/p', 0.75, '6:00 P'],
		['[mm]:ss', 0.5, '720:00'],
		['ss.00', 0.0000058, '00.50'],
		['dd/mm/yyyy', 60, '29/02/1900'],
		['dd/mm/yyyy', 1, '01/01/1900'],
		['dd/mm/yyyy', 59, '28/02/1900'],
		['dd/mm/yyyy', 61, '01/03/1900'],
		['dd/mm/yyyy', -1, '-1'],
		['yyyy', 46022.999999, '2026'],
		['', 5, '5'],
	])('%s shows %d as %s', (code, value, shown) => {
		expect(by(value, code)).toBe(shown);
	});

	test('dates may be counted from 1904', () => {
		expect(by(0, 'yyyy-mm-dd', true)).toBe('1904-01-01');
		expect(by(44918, 'ddd yyyy-mm-dd', true)).toBe('Thu 2026-12-24');
	});
});
