/**
 * Tests that a field is required exactly if nothing works without it: a run of the node, or the test of the credential,
 * fails and names the field. The fields are taken from the descriptions, so a new field is tested as well.
 */
import type {
	ICredentialType,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	INodeType,
} from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { packageCredentialType } from '../../support/credential-types';
import { runNode, testCredential } from '../../support/engine';
import { isShown } from '../../support/item-by-item';

const { credentials } = useChunkText();
const files = useFiles();

/**
 * Empty values. Other types have none. An expression is empty only during the run, so n8n does not refuse the workflow
 * before that.
 */
const EMPTY: Partial<Record<INodeProperties['type'], NonNullable<INodeParameters[string]>>> = {
	string: "={{ '' }}",
	number: "={{ '' }}",
	json: "={{ '' }}",
	boolean: false,
	resourceLocator: { __rl: true, mode: 'id', value: "={{ '' }}" },
};

const MODEL = { modelId: { __rl: true, mode: 'id', value: 'gte-small' } };
const BY_LINE = { ...MODEL, chunker: 'regex-splitter', regex: '\n' };

/** Parameters with which each node works. All fields must be shown in one of them. */
const NODES: Array<[INodeType, INodeParameters[]]> = [
	[
		new PushDocuments(),
		[
			{ documentSource: 'wholeItem' },
			{ documentSource: 'fields' },
			{ documentSource: 'json' },
			{ documentSource: 'textFile' },
			{ documentSource: 'file' },
			{ documentSource: 'file', fileFormat: 'jsonArray' },
		],
	],
	[
		new DeleteDocument(),
		[
			{ idSource: 'item' },
			{ idSource: 'list', listField: 'ids' },
			{ idSource: 'file' },
			{ idSource: 'file', fileFormat: 'jsonArray' },
		],
	],
	[
		new ChunkText(),
		[
			...['chunks', 'documents', 'perDocument'].flatMap((output) => [
				{ ...BY_LINE, output },
				{ ...BY_LINE, output, textSource: 'file' },
				{ ...BY_LINE, output, textSource: 'file', fileFormat: 'jsonArray' },
				{ ...BY_LINE, output, textSource: 'textFile' },
			]),
			{ ...MODEL, chunker: 'sentence' },
			{ ...MODEL, chunker: 'custom', chunkerName: 'sentence' },
			{ ...BY_LINE, scope: 'custom', customScope: 'machinelearning.predict' },
			{ ...MODEL, operation: 'getResults', chunkingId: 'from-submit' },
		],
	],
	[new MigrateBlobs(), [{ confirm: true }]],
];

const RECORD = { id: 'a', name: 'A', text: 'One.\nTwo.', ids: ['a'] };

/** Returns an item that has all that the parameters need. */
async function itemFor(parameters: INodeParameters): Promise<INodeExecutionData> {
	const isText = Object.values(parameters).includes('textFile');
	const content = parameters.fileFormat === 'jsonArray' ? [RECORD] : RECORD;
	const name = parameters.fileFormat === 'jsonArray' ? 'a.json' : 'a.jsonl';
	const { binary } = isText
		? await files.item(RECORD.text, 'a.txt', 'text/plain')
		: await files.item(`${JSON.stringify(content)}\n`, name);
	const isFile = isText || Object.values(parameters).includes('file');
	return { json: RECORD, ...(isFile && { binary }) };
}

async function errorOf(node: INodeType, parameters: INodeParameters): Promise<string | undefined> {
	const all = { ...parameters };
	if (all.chunkingId === 'from-submit') {
		const submit = { ...BY_LINE, operation: 'submit' };
		const [item] = (await run(new ChunkText(), submit)).output;
		all.chunkingId = String(item?.json.chunkingId);
	}
	try {
		const { error } = await run(node, all);
		return error && `${error.message} ${error.description ?? ''}`;
	} catch (error) {
		// n8n refuses to run a workflow whose node lacks a required value.
		return String(error);
	}
}

const run = async (node: INodeType, parameters: INodeParameters) =>
	await runNode({
		node,
		items: [await itemFor(parameters)],
		parameters: { ...parameters, options: { retryForSeconds: 0 } },
		credentials: credentials(),
	});

/** n8n would also require this field if the scope were an expression that returns another scope. */
const NOT_MARKED = new Set(['customScope']);

/** Whether the field may be empty on purpose: a document without text is a document without chunks. */
const mayBeEmpty = ({ name }: INodeProperties, { output }: INodeParameters): boolean =>
	name === 'text' && output === 'perDocument';

/** Returns whether each of these errors shows that the field is missing. */
const areNamed = (errors: Array<string | undefined>, { displayName }: INodeProperties): boolean =>
	errors.every((error) => new RegExp(`['"]${displayName}['"]`).test(error ?? ''));

describe.each(NODES.map(([node, ways]) => [node.description.displayName, node, ways] as const))(
	'%s',
	(_name, node, ways) => {
		// A field of a tool is another definition of the same field.
		const fields = node.description.properties.filter(
			({ type, displayOptions }) => type in EMPTY && !displayOptions?.show?.['@tool'],
		);
		const emptyOf = ({ type, noDataExpression }: INodeProperties) =>
			noDataExpression && type === 'string' ? '' : EMPTY[type];
		const shownIn = (field: INodeProperties) =>
			ways.filter(
				(parameters) =>
					isShown(node, field.name, parameters) && !mayBeEmpty(field, parameters),
			);

		it.each(ways)('works with %j', async (parameters) => {
			expect(await errorOf(node, parameters)).toBeUndefined();
		});

		it.each(fields.map((field) => [field.displayName, field.name, field] as const))(
			'%s (%s)',
			async (_label, name, field) => {
				const errors: Array<string | undefined> = [];
				for (const parameters of shownIn(field))
					errors.push(await errorOf(node, { ...parameters, [name]: emptyOf(field) }));
				expect(errors.length).toBeGreaterThan(0);
				expect({ required: field.required === true, errors }).toEqual({
					required: areNamed(errors, field) && !NOT_MARKED.has(name),
					errors,
				});
			},
		);
	},
);

describe.each([
	['lucidworksAiOAuth2Api', [{}]],
	// A complete push URL contains the endpoint.
	['lucidworksPushApi', [{}, { pushUrl: 'complete' }]],
	['lucidworksBlobApi', [{}, { authentication: 'basic', user: 'u', password: 'p' }]],
] as const)('credential %s', (typeName, ways) => {
	const type = packageCredentialType(typeName) as ICredentialType;
	const fields = type.properties.filter((each) => each.type in EMPTY);
	const dataOf = (changes: object) => {
		const data = { ...credentials()[typeName], ...changes };
		if (data.pushUrl !== 'complete') return data;
		const { pushUrl, endpoint } = { ...credentials()[typeName] };
		return { ...data, pushUrl: `${String(pushUrl)}/api/v1/push/${String(endpoint)}` };
	};

	it.each(ways)('works with %j', async (way) => {
		expect(await testCredential(type, dataOf(way))).toMatchObject({ ok: true });
	});

	it.each(fields.map((field) => [field.displayName, field.name, field] as const))(
		'%s (%s)',
		async (_label, name, field) => {
			const errors: Array<string | undefined> = [];
			for (const way of ways) {
				const { ok, message } = await testCredential(type, { ...dataOf(way), [name]: '' });
				errors.push(ok ? undefined : message);
			}
			expect({ required: field.required === true, errors }).toEqual({
				required: areNamed(errors, field),
				errors,
			});
		},
	);
});
