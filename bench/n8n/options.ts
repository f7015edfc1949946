import { parseArgs } from 'node:util';

/** The parts, in the order in which they run. */
export const PARTS = ['push', 'today', 'chunk', 'modes', 'params', 'interrupted'] as const;

export type Part = (typeof PARTS)[number];

/** What to run, and how large. */
export interface N8nBenchOptions {
	parts: Part[];
	/** Lengths of the files that are pushed, in documents of 1 KB. */
	documents: number[];
	/** Documents that are pushed as items. */
	items: number;
	/** Documents that go through what users do without this package. */
	today: number;
	/** MB of texts that are chunked through files, and as items. */
	megabytes: number;
	itemMegabytes: number;
	/** MB of documents that are read from every place where n8n can keep files. */
	modeMegabytes: number;
	/** Items whose parameters are read. */
	parameters: number;
	/** Documents of the file that is interrupted. */
	interrupted: number;
}

const FULL = {
	documents: '200000,1000000',
	items: '200000',
	today: '20000',
	megabytes: '100',
	'item-megabytes': '20',
	'mode-megabytes': '100',
	parameters: '20000',
	interrupted: '100000',
};

/** Shows that everything runs, not how fast. */
const QUICK: typeof FULL = {
	documents: '5000,20000',
	items: '5000',
	today: '500',
	megabytes: '3',
	'item-megabytes': '1',
	'mode-megabytes': '3',
	parameters: '500',
	interrupted: '20000',
};

const HELP = `npm run bench:n8n -- [--quick] [--<size> <number>] [${PARTS.join(' | ')}] ...

Sizes, each with its default:
${Object.entries(FULL)
	.map(([name, value]) => `  --${name} ${value}`)
	.join('\n')}`;

/**
 * Reads the command line.
 * @throws Error with the usage if it is wrong, or asks for it
 */
export function readOptions(): N8nBenchOptions {
	const sizes = Object.keys(FULL) as Array<keyof typeof FULL>;
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			quick: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
			...(Object.fromEntries(sizes.map((name) => [name, { type: 'string' }])) as Record<
				keyof typeof FULL,
				{ type: 'string' }
			>),
		},
	});
	const parts = positionals.length > 0 ? positionals : PARTS;
	if (values.help || parts.some((part) => !PARTS.includes(part as Part))) throw new Error(HELP);
	const all = (name: keyof typeof FULL): number[] => {
		const text = values[name] ?? (values.quick ? QUICK : FULL)[name];
		const numbers = text.split(',').map(Number);
		if (!numbers.every((number) => number > 0)) throw new Error(HELP);
		return numbers;
	};
	const one = (name: keyof typeof FULL): number => all(name)[0];
	return {
		parts: PARTS.filter((part) => parts.includes(part)),
		documents: all('documents'),
		items: one('items'),
		today: one('today'),
		megabytes: one('megabytes'),
		itemMegabytes: one('item-megabytes'),
		modeMegabytes: one('mode-megabytes'),
		parameters: one('parameters'),
		interrupted: one('interrupted'),
	};
}
