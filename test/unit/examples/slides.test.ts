import { shape, slides } from './support/office-files';

const table = (...all: string[][]) =>
	`<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${all
		.map(
			(cells) =>
				`<a:tr>${cells.map((text) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`).join('')}</a:tr>`,
		)
		.join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;

describe('the pages of a presentation', () => {
	test('slides in their order, the title first, then the notes', async () => {
		const result = await slides(
			{
				xml:
					shape(['Body', 'More']) + shape(['Title'], 'ctrTitle') + shape(['3'], 'sldNum'),
				notes:
					shape(['A picture'], 'sldImg') +
					shape(['Say hello.'], 'body') +
					shape(['1'], 'sldNum'),
			},
			{ xml: shape(['Second'], 'title') + shape(['Sub'], 'subTitle') },
		);
		expect(result).toEqual({
			pages: ['Title\n\nBody\nMore\n\nSay hello.', 'Second\n\nSub'],
		});
	});

	test('a hidden slide is an empty page', async () => {
		const result = await slides(
			{ xml: shape(['One'], 'title') },
			{ xml: shape(['Two'], 'title'), isHidden: true },
			{ xml: shape(['Three'], 'title') },
		);
		expect(result).toEqual({ pages: ['One', '', 'Three'] });
	});

	test('groups, tables, connectors, line breaks, fields and variants', async () => {
		const xml = [
			`<p:grpSp><p:grpSpPr/>${shape(['In a group'])}<p:grpSp>${shape(['deeper'])}</p:grpSp></p:grpSp>`,
			table(['Name', 'Price'], ['Ladder', '79']),
			'<p:sp><p:txBody><a:p><a:pPr/><a:r><a:t>One</a:t></a:r><a:br/><a:fld type="datetime"><a:rPr/><a:t>2026</a:t></a:fld><a:endParaRPr/></a:p></p:txBody></p:sp>',
			`<mc:AlternateContent><mc:Choice>${shape(['New'])}</mc:Choice><mc:Fallback>${shape(['Old'])}</mc:Fallback></mc:AlternateContent>`,
		].join('');
		expect(await slides({ xml })).toEqual({
			pages: ['In a group\n\ndeeper\n\nName: Ladder; Price: 79\n\nOne\n2026\n\nNew'],
		});
	});

	test('pictures without a text are named, and an empty slide is a page', async () => {
		const picture = '<p:pic><p:nvPicPr/></p:pic>';
		expect(await slides({ xml: picture })).toEqual({
			problem: expect.stringMatching(/^has pictures, but no text/),
		});
		expect(await slides({ xml: picture }, { xml: shape(['T'], 'title') })).toEqual({
			...{ pages: ['', 'T'], pagesWithoutText: [1] },
		});
	});
});
