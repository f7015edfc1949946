/**
 * Runs each node with records, options and faults, so that each two of their values occur together, and compares
 * everything that can be seen of these runs with the approved lines in the snapshot. After an intended change, run
 * `npx jest test/engine/pairs -u`, and read how the snapshot has changed.
 */
import type { IDataObject, INodeExecutionData, INodeParameters, OnError } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import type { RunResult } from '../../support/engine';
import { merged } from '../../support/item-by-item';
import { useNodeLog } from '../../support/node-log';
import { observed } from '../../support/observed';
import {
	fileItems,
	fileParameters,
	FILES,
	RECORDS,
	recordsFor,
	textFileItems,
} from '../../support/pair-inputs';
import { everyPair, type Choice, type Factors } from '../../support/pairs';
import { CONTINUE, nodeRunner } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';

const log = useNodeLog();
const files = useFiles();
const { sandbox, chunk, getResults, credentials, fault } = useChunkText();
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
beforeEach(() => (log.length = 0));

const COMMON = {
	...RECORDS,
	onError: ['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'],
	concurrency: ['1', '4'],
	retryForSeconds: ['60', '0'],
} as const;
/** The failures of a file are listed in the order in which they become known. */
const ONE_BY_ONE = { concurrency: ['1'] } as const;
const OF_ITEMS = {
	keepSourceFields: ['listed', 'none'],
	sourceFieldsToKeep: ['', 'title, sku'],
} as const;

type Faults = Record<string, Omit<FaultRule, 'route'>>;
/** Faults that affect each request with the same document in the same way. */
const FAULTS: Faults = {
	none: { times: 0 },
	'HTTP 400': { status: 400 },
	'HTTP 401': { status: 401 },
	'HTTP 413': { status: 413 },
	'HTTP 429 once': { retryAfter: '1', times: 1 },
	'HTTP 503': { status: 503 },
	'HTTP 503 once': { status: 503, times: 1 },
	'no response': { reset: 'afterWork' },
	'no response once': { reset: 'afterWork', times: 1 },
	HTML: { html: true },
};
/** Faults of a part of the runs. */
const SOME = ['none', 'HTTP 400', 'HTTP 401', 'HTTP 503 once', 'no response', 'HTML'];
/** Only one request at a time and no second attempt always have the same result. */
const DEPENDS_ON_TIME = new Set(['HTTP 401', 'HTTP 503', 'no response']);

type Common = Choice<typeof COMMON> & { fault: string };
const commonOptions = ({ concurrency, retryForSeconds, fault: kind, onError }: Common) => {
	const isTimed = DEPENDS_ON_TIME.has(kind);
	return {
		concurrency: isTimed || onError === 'stopWorkflow' ? 1 : Number(concurrency),
		retryForSeconds: isTimed ? 0 : Number(retryForSeconds),
	};
};

const settingsOf = ({ onError, binaryMode }: Common & Partial<Choice<typeof FILES>>) => ({
	onError: onError as OnError,
	binaryMode,
});

/** Returns choices with labels that name all values but the first of each setting. */
function choicesOf<const F extends Factors>(factors: F): Array<[string, Choice<F>]> {
	return everyPair(factors, 'pairs').map((choice) => {
		const others = Object.entries(choice).filter(([name, one]) => one !== factors[name]?.[0]);
		return [others.map(([name, value]) => `${name}: ${value}`).join(', '), choice];
	});
}

async function approve(result: RunResult, isInOrder: boolean): Promise<void> {
	const lines = await observed(result, sandbox(), files, log, isInOrder);
	expect(lines.join('\n')).toMatchSnapshot();
}

test('each two values of different settings occur together', () => {
	const factors = { ...COMMON, ...FILES, ...OF_ITEMS };
	const values = Object.entries(factors).flatMap(([name, all]) => all.map((one) => [name, one]));
	const choices = everyPair(factors, 'pairs').map(Object.entries);
	const occur = (...pair: unknown[]) =>
		choices.some((choice) =>
			pair.every((one) => choice.some((each) => `${one}` === `${each}`)),
		);
	const missing = values.flatMap((one) =>
		values
			.filter((other) => one[0] !== other[0] && !occur(one, other))
			.map((other) => [one, other]),
	);
	expect(missing).toEqual([]);
	expect(choices.length).toBeLessThan(150);
});

describe('Push Documents', () => {
	const rejection = JSON.stringify({ items: [{ id: 'hit', status: 422, message: 'Too odd' }] });
	const faults: Faults = { ...FAULTS, rejected: { status: 200, body: rejection } };
	const FACTORS = {
		...COMMON,
		fault: Object.keys(faults),
		response: ['empty', 'count', 'perDocument', 'text'],
		documentsPerRequest: ['500', '2', '1'],
		bytesPerRequest: ['5000000', '400'],
		dryRun: ['', 'true'],
		excludeFields: ['', 'text, title', 'id'],
		dropEmpty: ['', 'true'],
	} as const;
	const FIELDS = { fields: ['default', 'other'] } as const;
	const run = async (
		choice: Choice<typeof FACTORS>,
		items: INodeExecutionData[],
		parameters: INodeParameters,
	) => {
		fault('push', { whenBodyContains: 'hit', ...faults[choice.fault] });
		sandbox().settings.pushResponse = choice.response;
		const options = {
			...commonOptions(choice),
			// Requests of a dry run are numbered in the order in which they are made.
			...(choice.dryRun && { concurrency: 1 }),
			documentsPerRequest: Number(choice.documentsPerRequest),
			bytesPerRequest: Number(choice.bytesPerRequest),
			dryRun: Boolean(choice.dryRun),
			excludeFields: choice.excludeFields,
			dropEmpty: Boolean(choice.dropEmpty),
		};
		const result = await push(items, merged({ options }, parameters), settingsOf(choice));
		await approve(result, choice.concurrency === '1');
	};
	const fieldsOf = ({ fields }: Choice<typeof FIELDS>) =>
		fields === 'default'
			? {}
			: { idField: 'sku', nameField: 'title', descriptionField: 'text', urlField: '' };

	it.each(choicesOf({ ...FACTORS, ...FILES, ...ONE_BY_ONE, ...FIELDS }))(
		'files, %s',
		async (_label, choice) => {
			await run(
				choice,
				await fileItems(choice, files),
				merged(fileParameters(choice), { documentSource: 'file', ...fieldsOf(choice) }),
			);
		},
	);

	const OUTPUT = { output: ['perDocument', 'perInputItem', 'summary'], ...OF_ITEMS } as const;
	const outputOf = ({ output, keepSourceFields, sourceFieldsToKeep }: Choice<typeof OUTPUT>) => ({
		options: { output, keepSourceFields, sourceFieldsToKeep },
	});

	it.each(choicesOf({ ...FACTORS, ...OUTPUT, ...FIELDS }))(
		'items, %s',
		async (_label, choice) => {
			const items = recordsFor(choice).map((json) => ({ json }));
			await run(choice, items, merged(outputOf(choice), fieldsOf(choice)));
		},
	);

	const ADDED = { includeOtherFields: ['', 'true'], added: ['', 'x', 'id'] } as const;
	const addedOf = ({ added }: Pick<Choice<typeof ADDED>, 'added'>): INodeParameters =>
		added ? { additionalFields: { field: [{ name: added, value: '={{ $json.sku }}' }] } } : {};

	it.each(choicesOf({ ...FACTORS, ...OUTPUT, ...ADDED, fault: SOME }))(
		'fields, %s',
		async (_label, choice) => {
			const items = recordsFor(choice).map((json) => ({ json }));
			const parameters = {
				documentSource: 'fields',
				documentText: '={{ $json.text }}',
				documentUrl: '={{ $json.url }}',
				includeOtherFields: Boolean(choice.includeOtherFields),
				...addedOf(choice),
			};
			await run(choice, items, merged(outputOf(choice), parameters));
		},
	);

	it.each(choicesOf({ ...FACTORS, ...OUTPUT, fault: [...SOME, 'rejected'] }))(
		'lists, %s',
		async (_label, choice) => {
			const records = recordsFor(choice);
			const lists = [records.slice(0, 4), [], records.slice(3), null, 'no JSON'];
			const items = lists.map((list) => ({ json: { list, title: 'T' } }));
			const parameters = { documentSource: 'json', documentJson: '={{ $json.list }}' };
			await run(choice, items, merged(outputOf(choice), parameters));
		},
	);

	it.each(choicesOf({ ...FACTORS, ...OUTPUT, added: ADDED.added, fault: SOME }))(
		'text files, %s',
		async (_label, choice) => {
			const parameters = {
				documentSource: 'textFile',
				fileDocumentId: '={{ $json.id }}',
				fileDocumentName: '={{ $json.name }}',
				...addedOf(choice),
			};
			const items = await textFileItems(choice, files);
			await run(choice, items, merged(outputOf(choice), parameters));
		},
	);
});

describe('Delete Document', () => {
	const FACTORS = {
		...COMMON,
		fault: [...Object.keys(FAULTS), 'rejected'],
		commit: ['serviceDefault', 'everyDelete', 'lastDeleteOnly'],
		ignoreNotFound: ['', 'true'],
		dryRun: ['', 'true'],
		unknown: ['200', '404'],
	} as const;
	const run = async (
		choice: Choice<typeof FACTORS>,
		items: INodeExecutionData[],
		parameters: INodeParameters,
	) => {
		await pushDirectly(sandbox(), [
			...['d0', 'd1', 'hit', 'd3', 'ä'].map((id) => ({ id, name: 'N' })),
			...['d0#0', 'd0#1', 'hit#0', 'hit#1'].map((id) => ({ id, name: 'N' })),
		]);
		sandbox().settings.unknownDeleteStatus = choice.unknown === '404' ? 404 : 200;
		sandbox().requests.length = 0;
		const body = JSON.stringify({ success: false, id: 'hit', status: 422 });
		const rule = FAULTS[choice.fault] ?? { status: 200, body };
		fault('delete', { whenPathEndsWith: '/hit', ...rule });
		fault('delete', { whenPathEndsWith: '/hit%230', ...rule });
		const options = {
			...commonOptions(choice),
			ignoreNotFound: Boolean(choice.ignoreNotFound),
			dryRun: Boolean(choice.dryRun),
		};
		const { commit } = choice;
		const all = merged({ commit, options }, parameters);
		const result = await remove(items, all, settingsOf(choice));
		await approve(result, choice.concurrency === '1');
	};

	const lines = { file: [...FILES.file, 'lines'] } as const;
	it.each(choicesOf({ ...FACTORS, ...FILES, ...ONE_BY_ONE, ...lines, idField: ['id', 'sku'] }))(
		'files, %s',
		async (_label, choice) => {
			const { idField } = choice;
			const parameters = merged(fileParameters(choice), { idSource: 'file', idField });
			await run(choice, await fileItems(choice, files), parameters);
		},
	);

	const OUTPUT = { output: ['perDocument', 'perInputItem'], ...OF_ITEMS } as const;
	const outputOf = ({ output, keepSourceFields, sourceFieldsToKeep }: Choice<typeof OUTPUT>) => ({
		options: { output, keepSourceFields, sourceFieldsToKeep },
	});

	it.each(choicesOf({ ...FACTORS, ...OUTPUT, chunkCount: ['0', '2'] }))(
		'items, %s',
		async (_label, choice) => {
			const items = recordsFor(choice).map((json) => ({ json }));
			const options = { chunkCount: Number(choice.chunkCount) };
			await run(choice, items, merged(outputOf(choice), { options }));
		},
	);

	it.each(choicesOf({ ...FACTORS, ...OUTPUT, fault: [...SOME, 'rejected'] }))(
		'lists, %s',
		async (_label, choice) => {
			const ids = recordsFor(choice).map(({ id }) => id);
			const lists = [
				ids.slice(0, 4),
				[],
				ids.slice(3),
				null,
				{ id: 'd0' },
				'd1',
				[['d2'], 5],
			];
			const items = lists.map((list) => ({ json: { ids: list, title: 'T' } as never }));
			await run(choice, items, merged(outputOf(choice), { idSource: 'list' }));
		},
	);
});

describe('Chunk Text', () => {
	const FACTORS = {
		...COMMON,
		fault: Object.keys(FAULTS),
		output: ['documents', 'chunks', 'perDocument'],
		vectors: ['compact', 'list', 'none'],
		keepSourceFields: ['all', 'listed', 'none'],
		sourceFieldsToKeep: ['', 'title, sku'],
		outputTo: ['items', 'files'],
		chunkDetails: ['', 'true'],
		textsPerRequest: ['10', '2', '1'],
		bytesPerRequest: ['1000000', '1000'],
		chunker: ['dynamic-newline', 'regex-splitter', 'sentence'],
		body: ['default', 'all options'],
		/** Answers to all polls. */
		poll: ['', 'ERROR', 'no data', 'damaged'],
	} as const;
	const BODY_OPTIONS = {
		dataType: 'query',
		dimReductionSize: 1,
		vectorQuantizationMethod: 'min-max',
		additionalBodyFields: '={{ { user: $json.id, chunkerConfig: { x: 1 } } }}',
		documentFields: '={{ { color: $json.id } }}',
	};
	const POLLS: Faults = {
		ERROR: { status: 200, body: JSON.stringify({ status: 'ERROR', message: 'No memory' }) },
		'no data': { status: 200, body: JSON.stringify({ status: 'RETRIEVED' }) },
		damaged: { damage: 'otherVectorShape' },
	};
	const parametersOf = (choice: Choice<typeof FACTORS>): INodeParameters => ({
		output: choice.output,
		chunker: choice.chunker,
		chunkerSettings: choice.chunker === 'sentence' ? { chunkSize: 1 } : {},
		...(choice.chunker === 'regex-splitter' && { regex: '\n' }),
		options: {
			...commonOptions(choice),
			vectors: choice.vectors,
			keepSourceFields: choice.keepSourceFields,
			sourceFieldsToKeep: choice.sourceFieldsToKeep,
			outputTo: choice.outputTo,
			chunkDetails: Boolean(choice.chunkDetails),
			...severalRequests(choice),
		},
	});
	/**
	 * Returns options that lead to several requests. If the first failure ends the run, it would depend on time which
	 * requests have been sent before.
	 */
	const severalRequests = (choice: Choice<typeof FACTORS>) =>
		choice.onError === 'stopWorkflow'
			? {}
			: {
					textsPerRequest: Number(choice.textsPerRequest),
					bytesPerRequest: Number(choice.bytesPerRequest),
					...(choice.body !== 'default' && BODY_OPTIONS),
				};
	const addFaults = ({ fault: kind, poll }: Choice<typeof FACTORS>) => {
		fault('submit', { whenBodyContains: 'hit', ...FAULTS[kind] });
		if (POLLS[poll]) fault('results', POLLS[poll]);
	};

	/** The files of a run are chunked at the same time, so the order of their hints depends on time. */
	const ONE_FILE = { groups: ['one file'] } as const;

	it.each(choicesOf({ ...FACTORS, previousChunkCount: ['0', '3'] }))(
		'items, %s',
		async (_label, choice) => {
			const items = recordsFor(choice).map((json) => ({ json }));
			addFaults(choice);
			const options = { previousChunkCount: Number(choice.previousChunkCount) };
			const parameters = merged(parametersOf(choice), { options });
			await approve(await chunk(items, parameters, settingsOf(choice)), false);
		},
	);

	it.each(
		choicesOf({
			...FACTORS,
			...FILES,
			...ONE_BY_ONE,
			...ONE_FILE,
			operation: ['submitAndWait', 'submit'],
		}),
	)('files, %s', async (_label, choice) => {
		addFaults(choice);
		const { operation } = choice;
		const parameters = merged(merged(parametersOf(choice), fileParameters(choice)), {
			operation,
			textSource: 'file',
		});
		const items = await fileItems(choice, files);
		await approve(await chunk(items, parameters, settingsOf(choice)), false);
	});

	it.each(choicesOf({ ...FACTORS, fault: SOME }))('text files, %s', async (_label, choice) => {
		addFaults(choice);
		const parameters = {
			textSource: 'textFile',
			fileDocumentId: '={{ $json.id }}',
			fileDocumentName: '={{ $json.name }}',
		};
		const items = await textFileItems(choice, files);
		const all = merged(parametersOf(choice), parameters);
		await approve(await chunk(items, all, settingsOf(choice)), false);
	});

	/** What the items for Get Results do not say about their texts. */
	const UNKNOWN: Record<string, string[]> = {
		nothing: [],
		'the position': ['textPosition'],
		'the position and the number of texts': ['textPosition', 'textsInRequest'],
	};
	const without = (json: IDataObject, names: string[] = []) =>
		Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));

	it.each(
		choicesOf({ ...FACTORS, fault: SOME, wait: ['', 'true'], unknown: Object.keys(UNKNOWN) }),
	)('results, %s', async (_label, choice) => {
		const parameters = parametersOf(choice);
		const ofSubmit = {
			operation: 'submit',
			options: { concurrency: 1, keepSourceFields: 'all' },
		};
		const submitted = await chunk(recordsFor(choice), merged(parameters, ofSubmit), CONTINUE);
		addFaults(choice);
		const result = await getResults(
			submitted.output.map(({ json }) => ({
				json: without(json, UNKNOWN[choice.unknown]),
			})),
			{ ...parameters, wait: Boolean(choice.wait) },
			settingsOf(choice),
		);
		await approve(result, false);
	});
});
