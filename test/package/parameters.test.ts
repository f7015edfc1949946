/** Every parameter of every node and credential, as the editor shows it. */
import path from 'node:path';

import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { credentialClasses, manifest, ROOT } from '../../support/manifest';

/** n8n's limit for hints. */
const MAX_HINT_LENGTH = 120;

/** From this number of options on, n8n's lint wants them sorted. */
const SORTED_FROM = 5;

/** The options that several nodes have, by subject, in the order in which they follow those of one node. */
const GROUPS = [
	/^(.+PerRequest|concurrency|maxAttempts|timeoutSeconds|maxRefusedSeconds)$/,
	/^(maxWaitSeconds|whenTimeRunsOut|.+IntervalSeconds)$/,
	/^(delimiter|skipRecords|maxRecords|bytesPerFile)$/,
];

/** What explains itself by its place. */
const WITHOUT_DESCRIPTION = new Set(['operation', 'options']);

/** Texts of which no example helps. */
const WITHOUT_EXAMPLE = new Set(['value', 'clientId']);

/** Types that show a text, not a field. */
const NOT_FIELDS = new Set(['notice', 'hidden', 'callout']);

/** Words that texts of this package do not use: each has a better one. */
const FOREIGN_WORDS =
	/\b(repl(y|ies)|address(es)?|time-?outs?-|time-out|sign-in|former|put(s)? out|hand(s)? over|surely|gone on|look at a job)\b/i;

interface Shown {
	/** Where it is, for a failing test. */
	where: string;
	property: INodeProperties;
	/** The properties beside it. */
	siblings: INodeProperties[];
}

/** A property and everything in it. */
function walk(property: INodeProperties, where: string, siblings: INodeProperties[]): Shown[] {
	const here = `${where} > ${property.displayName}`;
	const inner = (property.options ?? []).flatMap((option) => {
		if ('values' in option) {
			const { values, displayName } = option as INodePropertyCollection;
			return values.flatMap((value) => walk(value, `${here} > ${displayName}`, values));
		}
		if (!('displayName' in option)) return [];
		return walk(option as INodeProperties, here, property.options as INodeProperties[]);
	});
	return [{ where: here, property, siblings }, ...inner];
}

/** All properties of a class. */
async function propertiesOf(file: string, className: string): Promise<Shown[]> {
	const classes = (await import(path.join(ROOT, file))) as Record<
		string,
		new () => INodeType | ICredentialType
	>;
	const instance = new classes[className]();
	const properties =
		'description' in instance ? instance.description.properties : instance.properties;
	return properties.flatMap((property) => walk(property, className, properties));
}

async function everything(): Promise<Shown[]> {
	const nodes = manifest.n8n.nodes.map(async (file) => {
		const source = file.replace(/^dist\//, '').replace(/\.js$/, '');
		return await propertiesOf(source, path.basename(source).split('.')[0]);
	});
	const credentials = [...credentialClasses.values()].map(
		async (name) => await propertiesOf(`credentials/${name}.credentials`, name),
	);
	return (await Promise.all([...nodes, ...credentials])).flat();
}

let shown: Shown[];
let fields: Shown[];

beforeAll(async () => {
	shown = await everything();
	fields = shown.filter(({ property }) => !NOT_FIELDS.has(property.type));
	expect(fields.length).toBeGreaterThan(80);
});

/** The texts of a list that do not follow a rule, with where they are. */
function faults(list: Shown[], rule: (shown: Shown) => string | undefined): string[] {
	return list.flatMap((one) => {
		const fault = rule(one);
		return fault === undefined ? [] : [`${one.where}: ${fault}`];
	});
}

const optionsOf = ({ type, options }: INodeProperties): INodePropertyOptions[] =>
	type === 'options' ? ((options ?? []) as INodePropertyOptions[]) : [];

/** What is wrong with a sentence, or several, as n8n's guidelines have them. */
function sentenceFault(text: string): string | undefined {
	// "e.g." and version numbers end no sentence.
	const sentences = text.split(/[.?!](?=\s+[A-Z'{])/).length;
	if (!/^[A-Z'"]/.test(text)) return `'${text}' begins with a small letter`;
	if (sentences === 1 && text.endsWith('.')) return `'${text}' is one sentence with a period`;
	if (sentences > 1 && !/[.?!]$/.test(text)) return `'${text}' lacks its last period`;
	// Words such as JSON and names of parameters in quotes are fine.
	const words = text
		.replace(/'[^']*'/g, '')
		.split(/\s+/)
		.slice(1);
	const capitals = words.filter((word) => /^[A-Z][a-z]{3,}$/.test(word));
	if (words.length > 3 && capitals.length > words.length / 2) return `'${text}' is in title case`;
	return undefined;
}

describe('descriptions', () => {
	it('are there, and say more than the name', () => {
		const rule = ({ property: { displayName, name, description } }: Shown) => {
			if (WITHOUT_DESCRIPTION.has(name)) return undefined;
			if (!description) return 'no description';
			const same = description.toLowerCase() === displayName.toLowerCase();
			return same ? 'says only the name' : undefined;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('are sentences, with a period only if there are several', () => {
		const rule = ({ property: { description } }: Shown) =>
			description ? sentenceFault(description) : undefined;
		expect(faults(fields, rule)).toEqual([]);
	});

	it("of booleans begin with 'Whether'", () => {
		const rule = ({ property: { type, description = '' } }: Shown) =>
			type === 'boolean' && !description.startsWith('Whether ') ? description : undefined;
		expect(faults(fields, rule)).toEqual([]);
	});

	it('of options are there, and say more than the name', () => {
		const rule = ({ property }: Shown) =>
			optionsOf(property)
				.map(({ name, description }) => {
					if (!description) return `option '${name}' has no description`;
					if (description.toLowerCase() === name.toLowerCase()) return `'${name}' twice`;
					return sentenceFault(description);
				})
				.find((fault) => fault !== undefined);
		expect(faults(fields, rule)).toEqual([]);
	});

	it('name parameters and options as they are called', () => {
		const names = new Set(
			fields.flatMap(({ property }) => [
				property.displayName,
				// The unit may be left out.
				property.displayName.replace(/ \(.*\)$/, ''),
				...optionsOf(property).map(({ name }) => name),
			]),
		);
		const quoted = (text: string) => [...text.matchAll(/(?<!\w)'([A-Z][^']*)'/g)];
		const rule = ({ property }: Shown) =>
			[property, ...optionsOf(property)]
				.flatMap(({ description }) => quoted(description ?? ''))
				.map(([, name]) => name)
				.find((name) => !names.has(name));
		expect(faults(fields, rule)).toEqual([]);
	});

	it('use the terms of the field', () => {
		const rule = ({ property }: Shown) =>
			[property, ...optionsOf(property)]
				.flatMap((one) => [one.description ?? '', 'name' in one ? one.name : ''])
				.concat(property.displayName, property.placeholder ?? '', property.hint ?? '')
				.find((text) => FOREIGN_WORDS.test(text));
		expect(faults(shown, rule)).toEqual([]);
	});
});

describe('placeholders and hints', () => {
	it("give an example after 'e.g. ', or say what is added", () => {
		const rule = ({ property: { type, placeholder } }: Shown) => {
			if (placeholder === undefined) return undefined;
			const isCollection = type === 'collection' || type === 'fixedCollection';
			const form = isCollection ? /^Add [A-Z]/ : /^e\.g\. \S/;
			return form.test(placeholder) ? undefined : placeholder;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('are there for texts without a default', () => {
		const rule = ({
			property: { type, typeOptions, default: value, placeholder, name },
		}: Shown) => {
			const isText = type === 'string' && value === '' && !typeOptions?.password;
			return isText && placeholder === undefined && !WITHOUT_EXAMPLE.has(name)
				? 'no placeholder'
				: undefined;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it(`are no longer than ${MAX_HINT_LENGTH} characters`, () => {
		const rule = ({ property: { hint = '' } }: Shown) =>
			hint.length > MAX_HINT_LENGTH ? hint : undefined;
		expect(faults(fields, rule)).toEqual([]);
	});
});

describe('names', () => {
	it('of times have their unit', () => {
		const rule = ({ property: { type, displayName, name } }: Shown) => {
			const isTime =
				/(seconds|minutes|ms)$/i.test(name) ||
				/\b(Timeout|Wait|Interval)\b/.test(displayName);
			const hasUnit = /\((Seconds|Minutes|Milliseconds)\)$/.test(displayName);
			return type === 'number' && isTime && !hasUnit ? displayName : undefined;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('of sizes have their unit', () => {
		const rule = ({ property: { type, displayName } }: Shown) => {
			const isSize = /\bChunk Size|\bOverlap\b/.test(displayName);
			return type === 'number' && isSize && !/\(\w+\)$/.test(displayName)
				? displayName
				: undefined;
		};
		expect(faults(fields, rule)).toEqual([]);
	});
});

describe('order', () => {
	it('of options is that of their use: those of one node, then requests, waiting and files', () => {
		const rule = ({ property }: Shown) => {
			if (property.name !== 'options') return undefined;
			const names = (property.options as INodeProperties[]).map(({ name }) => name);
			const groups = names.map((name) => GROUPS.findIndex((group) => group.test(name)));
			const isOrdered = groups.every(
				(group, at) => group === -1 || group >= Math.max(...groups.slice(0, at)),
			);
			return isOrdered ? undefined : names.join(', ');
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it.each([
		['ChunkText', 'sourceFields'],
		['PushDocuments', 'output'],
	])('of the options of %s begins with the everyday one', (node, first) => {
		const options = fields.find(
			({ where, property }) => where.startsWith(node) && property.name === 'options',
		)?.property.options as INodeProperties[];
		expect(options[0]?.name).toBe(first);
	});

	it('of long lists is alphabetical', () => {
		const rule = ({ property }: Shown) => {
			const names = optionsOf(property).map(({ name }) => name);
			return names.length < SORTED_FROM || sorted(names) ? undefined : names.join(', ');
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('has the operation first and the options last', () => {
		for (const { property, siblings, where } of fields) {
			if (property.name === 'operation')
				expect([where, siblings[0]]).toEqual([where, property]);
			if (property.name === 'options')
				expect([where, siblings.at(-1)]).toEqual([where, property]);
		}
	});
});

/** Alphabetical; 'Custom Data Type' belongs after 'Data Type'. */
function sorted(names: string[]): boolean {
	const keys = names.map((name) => name.replace(/^Custom (.+)$/, '$1, custom'));
	return keys.every((key, index) => index === 0 || keys[index - 1].localeCompare(key) <= 0);
}

describe('defaults', () => {
	it('pass their own validation', () => {
		const rule = ({ property }: Shown) => defaultFault(property);
		expect(faults(fields, rule)).toEqual([]);
	});
});

/** What is wrong with a default value. */
function defaultFault(property: INodeProperties): string | undefined {
	const { type, typeOptions = {}, default: value } = property;
	const fault = `default ${JSON.stringify(value)}`;
	const isExpression = typeof value === 'string' && value.startsWith('=');
	if (isExpression) return /^=\{\{ .+ \}\}$/.test(value) ? undefined : fault;
	switch (type) {
		case 'number': {
			const { minValue = -Infinity, maxValue = Infinity, numberPrecision = 0 } = typeOptions;
			if (typeof value !== 'number' || value < minValue || value > maxValue) return fault;
			return Number(value.toFixed(numberPrecision)) === value ? undefined : fault;
		}
		case 'options':
			return optionsOf(property).some((option) => option.value === value) ? undefined : fault;
		case 'boolean':
			return typeof value === 'boolean' ? undefined : fault;
		case 'json':
			return parses(value) ? undefined : fault;
		case 'string':
			return typeof value === 'string' ? undefined : fault;
		default:
			return typeof value === 'object' ? undefined : fault;
	}
}

function parses(value: unknown): boolean {
	try {
		return typeof JSON.parse(String(value)) === 'object';
	} catch {
		return false;
	}
}
