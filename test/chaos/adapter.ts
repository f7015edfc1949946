/**
 * The only file of this suite that knows names of parameters, options, credentials and result
 * fields. Names are looked up in the node descriptions, by name or by label, so that a renamed
 * parameter breaks nothing as long as one of the two stays.
 */
import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeType,
	NodeParameterValueType,
} from 'n8n-workflow';

import type { CredentialData } from '../../support/credential-store';
import { loadNode } from '../../support/load-node';
import { CANARIES, type Secrets } from './canaries';

export const NODES = {
	chunk: loadNode('ChunkText'),
	push: loadNode('PushDocuments'),
	delete: loadNode('DeleteDocument'),
	migrate: loadNode('MigrateBlobs'),
};

export type NodeKey = keyof typeof NODES;

export const NODE_KEYS = Object.keys(NODES) as NodeKey[];

/** Whether a node takes files of records. */
export const readsFiles = (node: NodeKey): boolean =>
	NODES[node].description.properties.some(({ name }) => name === 'fileFormat');

/** A parameter: what it is called inside, and how its label begins. */
interface Key {
	names: string[];
	label: RegExp;
	/** Not there yet, or only in some versions: omitted where a node lacks it. */
	optional?: true;
	/** What to choose, for parameters that offer options: value or label of the option. */
	choices?: Record<string, { values: string[]; label: RegExp }>;
}

const choice = (label: RegExp, ...values: string[]) => ({ values, label });

/** Everything a world may set. */
const KEYS = {
	operation: {
		names: ['operation'],
		label: /^operation$/i,
		choices: {
			submit: choice(/^submit$/i, 'submit'),
			submitAndWait: choice(/^submit and wait$/i, 'submitAndWait'),
			getResults: choice(/^get results$/i, 'getResults'),
		},
	},
	chunkOutput: {
		names: ['output'],
		label: /^output$/i,
		choices: {
			chunks: choice(/per chunk/i, 'chunks'),
			texts: choice(/per text/i, 'texts'),
			documents: choice(/^documents/i, 'documents'),
			raw: choice(/^raw/i, 'raw'),
		},
	},
	modelId: { names: ['modelId'], label: /^model/i },
	textSource: {
		names: ['textSource'],
		label: /^texts from$/i,
		choices: {
			expression: choice(/per item/i, 'item'),
			list: choice(/list/i, 'list'),
			file: choice(/^file$/i, 'file'),
		},
	},
	outputTo: {
		names: ['outputTo'],
		label: /^output to$/i,
		choices: { items: choice(/^items$/i, 'items'), files: choice(/^files$/i, 'files') },
	},
	keepOrder: { names: ['keepOrder'], label: /^keep order$/i },
	textsInFlight: { names: ['textsInFlight'], label: /^texts in flight/i },
	inputField: { names: ['binaryPropertyName'], label: /^input data field name$/i },
	fileFormat: { names: ['fileFormat'], label: /^file format$/i },
	listPath: { names: ['listPath'], label: /^path to list$/i },
	bytesPerFile: { names: ['bytesPerFile'], label: /^bytes per file/i },
	skipRecords: { names: ['skipRecords'], label: /^skip records/i },
	maxRecords: { names: ['maxRecords'], label: /^max records/i },
	wait: { names: ['wait'], label: /^wait for/i },
	includeVectors: {
		names: ['vectors'],
		label: /^include .*vectors$/i,
		choices: {
			true: choice(/^yes/i, 'compact', 'list'),
			false: choice(/^no/i, 'none'),
		},
	},
	isolate: {
		names: ['isolateFailingTexts'],
		label: /^isolate failing texts$/i,
		optional: true,
	},
	previousChunkCount: {
		names: ['previousChunkCount'],
		label: /^previous chunk count/i,
	},
	firstInterval: { names: ['firstIntervalSeconds'], label: /^(first|initial) poll/i },
	longestInterval: { names: ['longestIntervalSeconds'], label: /^(longest|max\w*) poll/i },
	maxWait: { names: ['maxWaitSeconds'], label: /^max wait \(/i },
	maxRefused: { names: ['maxRefusedSeconds'], label: /^max wait for rate limit/i },
	whenTimeRunsOut: {
		names: ['whenTimeRunsOut'],
		label: /^(when time runs out|on timeout|when .* ends)/i,
		choices: {
			fail: choice(/^fail/i, 'fail'),
			output: choice(/^(output|return)/i, 'output'),
		},
	},
	resumeChunkingId: { names: ['resumeChunkingId'], label: /^resume/i },
	textsPerRequest: { names: ['textsPerRequest'], label: /^texts per request/i },
	concurrency: { names: ['concurrency'], label: /^concurrency/i },
	perMinute: { names: ['maxRequestsPerMinute'], label: /^max requests per minute/i },
	maxAttempts: { names: ['maxAttempts'], label: /^max\w* attempts/i },
	timeout: { names: ['timeoutSeconds'], label: /^request timeout/i },
	documentSource: {
		names: ['documentSource'],
		label: /^documents from$/i,
		choices: {
			wholeItem: choice(/whole item/i, 'wholeItem'),
			fields: choice(/mapped/i, 'fields'),
			json: choice(/^json/i, 'json'),
			file: choice(/^file$/i, 'file'),
		},
	},
	idSource: {
		names: ['idSource'],
		label: /^document ids from$/i,
		choices: { file: choice(/^file$/i, 'file') },
	},
	documentsPerRequest: { names: ['documentsPerRequest'], label: /^documents per request/i },
	bytesPerRequest: { names: ['bytesPerRequest'], label: /^bytes per request/i },
	duplicates: {
		names: ['duplicates'],
		label: /^duplicate ids$/i,
		choices: {
			fail: choice(/^fail/i, 'fail'),
			keepLast: choice(/^keep last/i, 'keepLast'),
			sendInOrder: choice(/in order/i, 'sendInOrder'),
		},
	},
	pushOutput: {
		names: ['output'],
		label: /^output$/i,
		choices: {
			documents: choice(/per document/i, 'documents'),
			summary: choice(/summary/i, 'summary'),
		},
	},
	commit: {
		names: ['commit'],
		label: /^commit$/i,
		choices: {
			serviceDefault: choice(/default/i, 'serviceDefault'),
			lastDeleteOnly: choice(/last/i, 'lastDeleteOnly'),
			everyDelete: choice(/every/i, 'everyDelete'),
		},
	},
	ignoreNotFound: { names: ['ignoreNotFound'], label: /^ignore not found/i },
	confirm: { names: ['confirm'], label: /^confirm/i },
	oncePerItem: { names: ['oncePerItem'], label: /^once per item/i },
} satisfies Record<string, Key>;

export type SettingKey = keyof typeof KEYS;
export type Settings = Partial<Record<SettingKey, string | number | boolean>>;

interface Place {
	property: INodeProperties;
	collection?: string;
}

function placesOf(properties: INodeProperties[]): Place[] {
	return properties.flatMap((property) =>
		property.type === 'collection'
			? ((property.options ?? []) as INodeProperties[]).map((inner) => ({
					property: inner,
					collection: property.name,
				}))
			: [{ property }],
	);
}

/** Where a node keeps a setting; undefined for one that it need not have. */
function placeOf(node: INodeType, key: SettingKey): Place | undefined {
	const { names, label, ...rest } = KEYS[key] as Key;
	const places = placesOf(node.description.properties);
	const found =
		places.find(({ property }) => names.includes(property.name)) ??
		places.find(({ property }) => label.test(property.displayName));
	if (found === undefined && !rest.optional) {
		throw new Error(`${node.description.displayName} has no parameter for '${key}'`);
	}
	return found;
}

/** The label of a setting, for the documentation. */
export function labelOf(node: NodeKey, key: SettingKey): string {
	return placeOf(NODES[node], key)?.property.displayName ?? key;
}

export const nodeName = (node: NodeKey): string => NODES[node].description.displayName;

function chosen(property: INodeProperties, key: SettingKey, value: string): string {
	const choices = (KEYS[key] as Key).choices;
	if (choices?.[value] === undefined) return value;
	const { values, label } = choices[value];
	const options = (property.options ?? []) as INodePropertyOptions[];
	const option =
		options.find((candidate) => values.includes(String(candidate.value))) ??
		options.find((candidate) => label.test(candidate.name));
	if (option === undefined) {
		throw new Error(`'${property.displayName}' does not offer '${value}'`);
	}
	return String(option.value);
}

/** Settings as parameters of the node, each where the node wants it. */
export function parametersOf(node: NodeKey, settings: Settings): INodeParameters {
	const parameters: INodeParameters = {};
	for (const [key, value] of Object.entries(settings) as Array<
		[SettingKey, Settings[SettingKey]]
	>) {
		const place = placeOf(NODES[node], key);
		if (place === undefined || value === undefined) continue;
		const { property, collection } = place;
		const plain = property.type === 'options' ? chosen(property, key, String(value)) : value;
		const final: NodeParameterValueType =
			property.type === 'resourceLocator' ? { __rl: true, mode: 'id', value: plain } : plain;
		if (collection === undefined) {
			parameters[property.name] = final;
		} else {
			parameters[collection] = {
				...(parameters[collection] as INodeParameters | undefined),
				[property.name]: final,
			} as INodeParameters;
		}
	}
	return parameters;
}

/** Credentials for a service under this URL; the URLs may be overridden one by one. */
export function credentialsFor(
	url: string,
	clientId: string,
	other: { authUrl?: string; aiUrl?: string; pushUrl?: string; baseUrl?: string } = {},
	secrets: Secrets = CANARIES,
): CredentialData {
	return {
		aiServiceOAuth2Api: {
			aiUrl: other.aiUrl ?? url,
			authUrl: other.authUrl ?? url,
			authorizationServerId: 'chaos',
			clientId,
			clientSecret: secrets.clientSecret,
			scope: 'machinelearning.predict',
		},
		pushEndpointApi: {
			pushUrl: other.pushUrl ?? `${url}/prefix`,
			endpoint: 'docs',
			apiKey: secrets.apiKey,
		},
		blobServiceApi: {
			baseUrl: other.baseUrl ?? `${url}/api`,
			authentication: 'basic',
			user: secrets.user,
			password: secrets.password,
		},
	};
}

/** What an output item says, whatever node it is of. */
export interface Claim {
	/** The message of a failed item. */
	error?: string;
	id?: string;
	pushed?: boolean;
	deleted?: boolean;
	migrated?: boolean;
	removed?: boolean;
	chunkingId?: string;
	/** Only a text that is still to come has a status and no chunks. */
	pending: boolean;
	/** Push Documents: how many documents a summary says were pushed. */
	pushedCount?: number;
}

const text = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : undefined;
const flag = (value: unknown): boolean | undefined =>
	typeof value === 'boolean' ? value : undefined;

/** Reads the fields of an output item. */
export function claimOf(json: IDataObject): Claim {
	const { error } = json;
	const message =
		typeof error === 'object' && error !== null && 'message' in error
			? text(error.message)
			: text(error);
	const hasChunks = ['chunkIndex', 'chunks', 'chunkedData', 'chunkCount'].some(
		(name) => name in json,
	);
	return {
		error: message,
		id: text(json.id),
		pushed: flag(json.pushed),
		deleted: flag(json.deleted),
		migrated: flag(json.migrated),
		removed: flag(json.removed),
		chunkingId: text(json.chunkingId),
		pending: message === undefined && 'status' in json && !hasChunks,
		...(typeof json.stats === 'object' &&
			json.file === undefined && { pushedCount: Number(json.documents) }),
	};
}

/** What the item of a file says of its records. */
export interface Summary {
	records: number;
	/** Pushed, deleted, chunked or submitted. */
	done: number;
	failed: number;
	skipped: number;
	notFound: number;
	/** Chunk Text: how many chunks it returned. */
	chunks?: number;
	/** The file could not be read to its end. */
	readError?: string;
	failures: Array<{ record: number; id?: string; error: string; httpStatus?: number }>;
	failureCounts: Array<{ records: number }>;
	/** Files of failed records, by the binary fields they are in. */
	deadLetters: Array<{ field: string; records: number; bytes: number; unreadable?: boolean }>;
	/** Chunk Text: files of responses that could not be used. */
	responses?: Array<{ field: string }>;
}

/** The binary field of a file that the node returns with the records of this item; undefined for none. */
export const recordsFieldOf = (json: IDataObject): string | undefined =>
	typeof json.part === 'number' ? 'data' : undefined;

/** The summary of a file, if the item is one. */
export function summaryOf(json: IDataObject): Summary | undefined {
	const done = json.pushed ?? json.deleted ?? json.chunked ?? json.submitted;
	if (typeof done !== 'number') return undefined;
	return { notFound: 0, ...json, done } as unknown as Summary;
}

/** Whether an item stands for a document that was not pushed, because a later one has its ID. */
export const isReplaced = ({ pushed, reason }: IDataObject): boolean =>
	pushed === false && /later document has the same ID/.test(String(reason));

/** How many documents hints say were skipped for a later one. */
export const skippedIn = (hints: string): number =>
	Number(/([\d,]+) documents? skipped for a later one/.exec(hints)?.[1] ?? 0);

/** Where an error or a log line says that a file can be continued; the last such place. */
export function resumptionIn(
	words: string,
): { file: string; skip: number; hadFailures: boolean } | undefined {
	const [file = '', failures = '', skip] =
		[...words.matchAll(/Of the file '([^']*)'(.*?)Skip Records: (\d+)/g)].at(-1)?.slice(1) ??
		[];
	return skip === undefined
		? undefined
		: { file, skip: Number(skip), hadFailures: /\bfailed\b/.test(failures) };
}

/** The records that the error of a run that stopped is about. */
export const recordIn = (words: string): number =>
	Number(/\brecord (\d+) \(line/i.exec(words)?.[1] ?? NaN);

/** Texts that say that something certainly did not happen. */
const DENIALS = [
	/\b(?:was|were|is|are|has been|have been|had been) not (?:been )?(?:pushed|deleted|submitted|migrated|converted|sent)\b(?! again)/i,
	/\bnot (?:been )?(?:pushed|deleted|submitted|migrated|converted)\b(?! again)/i,
	/\bno (?:documents?|texts?|manifests?|IDs?) (?:was|were) (?:pushed|deleted|submitted|migrated|converted|sent)\b/i,
	/\bnever (?:reached|arrived|sent)\b/i,
	/\b(?:did not|didn't) (?:reach|arrive)\b/i,
];
/** ... unless the sentence says that it is not known. */
const DOUBT = /\b(?:unknown|not known|whether|may|might|if|unclear)\b/i;

/** The sentences of a message that deny that something took effect. */
export function denialsIn(message: string): string[] {
	return message
		.split(/(?<=[.;!?:])\s+/)
		.filter((sentence) => DENIALS.some((denial) => denial.test(sentence)))
		.filter((sentence) => !DOUBT.test(sentence));
}
