/** Chunks: those that were delivered are returned, each with its own text and vector. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { WITHHELD } from '../../../nodes/shared/service/tokens/secrets';
import { unpackVector } from '../../../nodes/shared/service/chunking/vector';
import { claimOf } from '../adapter';
import { textsIn } from '../canaries';
import { itemsOf, pairedWith, responsesIn, wordsOf } from '../played';
import { chunkText, MARKER, vectorOf } from '../service';
import { short, stopped, type Check, type Found, type Invariant } from './invariant';

/** A member of a failed item, whether there is one or several. */
const keptIn = (json: IDataObject, name: 'response' | 'chunkingId'): unknown[] =>
	[json[name], json[`${name}s`]].flat();

const lost: Check = ({ runs: all, server, world }) => {
	// What failed of a file is chunked again at last, which is no excuse.
	const runs = all.filter(({ inputs }, at) => at === 0 || inputs.length === 0);
	const delivered = runs.at(-1)?.delivered;
	if (world.node !== 'chunk' || runs.some((run) => run.canceled || stopped(run))) return [];
	const returned = new Set<string>();
	const withheld = new Set<unknown>();
	const isEchoed = server.played.some(({ kind }) => kind === 'echo');
	for (const run of runs) {
		for (const { json } of [...itemsOf(run), ...responsesIn(run.files)]) {
			// What cannot be read and has an encoded secret is not returned at all.
			if (isEchoed && keptIn(json, 'response').includes(WITHHELD))
				for (const id of keptIn(json, 'chunkingId')) withheld.add(id);
			// The source text holds its chunks too, but was not delivered.
			for (const text of textsIn(json)) {
				if (text.includes('\n')) continue;
				for (const [marker] of text.matchAll(MARKER)) returned.add(marker);
			}
		}
	}
	const texts = [...server.service.truth.texts.values()].filter(
		({ jobs }) => !jobs.some((id) => withheld.has(id)),
	);
	return texts.flatMap(({ key, parts }) =>
		Array.from({ length: parts }, (_, part) => chunkText(key, part))
			.filter((chunk) => delivered?.has(chunk) && parts > 1)
			.filter((chunk) => !returned.has(chunk.match(MARKER)?.[0] ?? ''))
			.map((chunk): [Invariant, string] => ['lost what was delivered', chunk]),
	);
};

const MAX_IDS_IN_MESSAGE = 100;

const forgotten: Check = ({ runs }) =>
	runs
		.filter((run) => stopped(run) && !run.canceled)
		.flatMap((run) => {
			const words = wordsOf(run);
			if (run.jobs.length > MAX_IDS_IN_MESSAGE) return [];
			return run.jobs
				.filter((id) => !words.includes(id))
				.map((id): [Invariant, string] => [
					'forgot a chunking ID',
					`${id}: ${short(words)}`,
				]);
		});

/** Get Results without a place in the request stands for all of its texts. */
const mixed: Check = ({ runs, world }) => {
	if (world.node !== 'chunk') return [];
	return runs.flatMap((run) => {
		if (run.settings.chunkOutput === 'raw') return [];
		return itemsOf(run).flatMap((item) => {
			const owners = pairedWith(item).flatMap((at) => run.owners[at]);
			const claim = claimOf(item.json);
			// Neither gives chunks to its text; a response that is kept is that of the whole request.
			if (claim.error !== undefined || claim.pending) return [];
			const strangers = [...textsIn(item.json)]
				.flatMap((text) => [...text.matchAll(MARKER)])
				.filter(([, , owner]) => !owners.includes(Number(owner)));
			const [stranger] = strangers;
			return stranger === undefined
				? []
				: [
						['mixed up texts', `${stranger[0]} with item ${owners.join()}`] as [
							Invariant,
							string,
						],
					];
		});
	});
};

/** What is known of a chunk that was returned. */
interface ReturnedChunk {
	/** Names it, with its text. */
	marker: string;
	/** Names its text. */
	key: string;
	vector: unknown;
}

/** Chunks as the node returned them, by item or within the item of their text. */
function chunksIn({ json }: INodeExecutionData): ReturnedChunk[] {
	const { error, pending } = claimOf(json);
	if (error !== undefined || pending) return [];
	const chunks = (Array.isArray(json.chunks) ? json.chunks : [json]) as IDataObject[];
	return chunks.flatMap(({ text, vector }) => {
		const [found] = typeof text === 'string' ? text.matchAll(MARKER) : [];
		return found === undefined ? [] : [{ marker: found[0], key: found[1], vector }];
	});
}

/** A chunk has its own vector, and each of a text has one or none has. */
const vectors: Check = ({ runs, world }) =>
	world.node !== 'chunk'
		? []
		: runs.flatMap((run): Array<[Invariant, string]> => {
				if (run.settings.chunkOutput === 'raw') return [];
				const found: Array<[Invariant, string]> = [];
				const counts = new Map<string, { all: number; with: number }>();
				for (const { marker, key, vector } of itemsOf(run).flatMap(chunksIn)) {
					const count = counts.get(key) ?? { all: 0, with: 0 };
					counts.set(key, count);
					count.all += 1;
					if (vector === undefined) continue;
					count.with += 1;
					const is = String(unpackVector(vector) ?? vector);
					if (is !== String(vectorOf(marker))) {
						found.push(['mixed up texts', `${marker} has the vector ${is}`]);
					}
				}
				for (const [key, count] of counts) {
					if (count.with === 0 || count.with === count.all) continue;
					const detail = `${count.with} vectors for ${count.all} chunks of ${key}`;
					found.push(['claims too much', detail]);
				}
				return found;
			});

/** Which text of an item a chunk is of. */
const textIndexes: Check = ({ runs, world }) =>
	world.settings.textSource !== 'list'
		? []
		: runs.flatMap((run) =>
				itemsOf(run).flatMap((item): Array<[Invariant, string]> => {
					const { textIndex } = item.json;
					if (typeof textIndex !== 'number') return [];
					return chunksIn(item)
						.filter(({ key }) => !key.endsWith(`t${textIndex}`))
						.map(({ marker }) => ['mixed up texts', `${marker} as text ${textIndex}`]);
				}),
			);

/** A chunk of a document has the text of that document. */
const ownChunks: Check = ({ runs, world }) =>
	world.node !== 'chunk'
		? []
		: runs.flatMap(itemsOf).flatMap(({ json }): Found => {
				const [, key, part] = /^(i\d+t\d+)#(\d+)$/.exec(String(json.id)) ?? [];
				const isOwn = String(json.text).startsWith(`<<${key}p${part}>>`);
				return key === undefined || isOwn
					? []
					: [['mixed up texts', `${String(json.id)}: ${String(json.text)}`]];
			});

export const CHUNKS: Check[] = [lost, forgotten, mixed, vectors, textIndexes, ownChunks];
