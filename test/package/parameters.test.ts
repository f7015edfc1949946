/** Tests the wording of every parameter in every node and credential. */
import path from 'node:path';

import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { credentialClasses, manifest, ROOT } from '../../support/manifest';

const MAX_HINT_LENGTH = 120;

/** Parameters that need no description, because their place in the panel explains them. */
const WITHOUT_DESCRIPTION = new Set(['operation', 'options']);

const WITHOUT_EXAMPLE = new Set(['value', 'clientId']);

const NOT_FIELDS = new Set(['notice', 'hidden', 'callout']);

/** Words that must not appear in names and descriptions, because there are better words. */
const FOREIGN_WORDS =
	/\b(repl(y|ies)|address(es)?|time-?outs?-|time-out|sign-in|former|put(s)? out|hand(s)? over|surely|gone on|look at a job)\b/i;

interface Shown {
	where: string;
	property: INodeProperties;
	siblings: INodeProperties[];
}

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

function faults(list: Shown[], rule: (shown: Shown) => string | undefined): string[] {
	return list.flatMap((one) => {
		const fault = rule(one);
		return fault === undefined ? [] : [`${one.where}: ${fault}`];
	});
}

const optionsOf = ({ type, options }: INodeProperties): INodePropertyOptions[] =>
	type === 'options' ? ((options ?? []) as INodePropertyOptions[]) : [];

describe('descriptions', () => {
	it('exist, and say more than the name', () => {
		const rule = ({ property: { displayName, name, description } }: Shown) => {
			if (WITHOUT_DESCRIPTION.has(name)) return undefined;
			if (!description) return 'no description';
			const same = description.toLowerCase() === displayName.toLowerCase();
			return same ? 'says only the name' : undefined;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('of options exist, and say more than the name', () => {
		const rule = ({ property }: Shown) =>
			optionsOf(property)
				.map(({ name, description }) => {
					if (!description) return `option '${name}' has no description`;
					if (description.toLowerCase() === name.toLowerCase()) return `'${name}' twice`;
					return undefined;
				})
				.find((fault) => fault !== undefined);
		expect(faults(fields, rule)).toEqual([]);
	});

	it('use the exact names of parameters and options', () => {
		const names = new Set(
			fields.flatMap(({ property }) => [
				property.displayName,
				// Descriptions can omit the unit from a field's name. For example, they can use `Timeout` instead of
				// `Timeout (Seconds)`.
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
	it("contain an example after 'e.g. ', or say what is added", () => {
		const rule = ({ property: { type, placeholder } }: Shown) => {
			if (placeholder === undefined) return undefined;
			const isCollection = type === 'collection' || type === 'fixedCollection';
			const form = isCollection ? /^Add [A-Z]/ : /^e\.g\. \S/;
			return form.test(placeholder) ? undefined : placeholder;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('exist for texts without a default', () => {
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
	it('of times and sizes contain their unit', () => {
		const rule = ({ property: { type, displayName, name } }: Shown) => {
			const isMeasured =
				/(seconds|minutes|ms)$/i.test(name) ||
				/\b(Timeout|Wait|Interval|Chunk Size|Overlap)\b/.test(displayName);
			return type === 'number' && isMeasured && !/\(\w+\)$/.test(displayName)
				? displayName
				: undefined;
		};
		expect(faults(fields, rule)).toEqual([]);
	});

	it('of numbers with decimals belong to small numbers, because n8n shows 60 as 60.000', () => {
		const rule = ({ property: { typeOptions, default: value } }: Shown) =>
			typeOptions?.numberPrecision && Number(value) >= 1 ? String(value) : undefined;
		expect(faults(fields, rule)).toEqual([]);
	});
});

describe('order', () => {
	it.each([
		['ChunkText', 'keepSourceFields'],
		['PushDocuments', 'output'],
	])('of the options of %s begins with the most common one', (node, first) => {
		const options = fields.find(
			({ where, property }) => where.startsWith(node) && property.name === 'options',
		)?.property.options as INodeProperties[];
		expect(options[0]?.name).toBe(first);
	});

	it('begins with the operation and ends with the options', () => {
		for (const { property, siblings, where } of fields) {
			if (property.name === 'operation')
				expect([where, siblings[0]]).toEqual([where, property]);
			if (property.name === 'options')
				expect([where, siblings.at(-1)]).toEqual([where, property]);
		}
	});
});
