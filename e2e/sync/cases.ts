import type { FaultRule } from '../../sandbox';
import { askedIn } from '../service/asked';
import { chunksOf, indexedOf, type SourceDocument } from './chunks';
import type { Lane } from './lane';
import { quiet, type SyncStage } from './stage';

/** Every attempt of every request. */
const ALWAYS = { times: 1000 };

const one = (id: string, ...sections: string[]): SourceDocument => ({ id, sections });

/** Runs a lane, with faults while it runs; returns the status and what was asked of the service. */
async function run(
	stage: SyncStage,
	lane: Lane,
	source: SourceDocument[],
	faults: FaultRule[] = [],
	more: object = {},
) {
	const { sandbox } = stage;
	sandbox.requests.length = 0;
	for (const fault of faults) sandbox.faults.add(fault);
	const status = await lane.call(source, more);
	await lane.settle();
	await quiet(stage);
	sandbox.faults.clear();
	sandbox.commit();
	const indexed = indexedOf(lane.name, sandbox);
	const isInSync = indexed.join() === chunksOf(lane.name, source).join();
	return { status, isInSync, indexed, asked: askedIn(sandbox.requests) };
}

/** A case: returns what was wrong with it, or nothing. */
type Case = (stage: SyncStage, lane: Lane) => Promise<string | undefined>;

/**
 * What known frameworks recorded as done though it had failed, or deleted though it existed. Each case
 * is what happened there, with this workflow; the names are those of the issues.
 */
export const CASES: Record<string, Case> = {
	'langchain 39937: what the index lost is pushed again once the table was emptied': async (
		stage,
		lane,
	) => {
		const source = [one('a', 'Almond', 'Apple'), one('b', 'Birch')];
		await run(stage, lane, source);
		stage.sandbox.reset();
		const trusting = await run(stage, lane, source);
		if (trusting.indexed.length > 0)
			return 'the table is not trusted, which the docs say it is';
		await lane.forgetAll();
		const { status, isInSync } = await run(stage, lane, source);
		return status === 200 && isInSync ? undefined : `status ${status}`;
	},

	'langchain 40226: a push or delete that a successful response rejects is not done': async (
		stage,
		lane,
	) => {
		await run(stage, lane, [one('a', 'Almond', 'Apple')]);
		const shorter = [one('a', 'Acorn')];
		const rejected = (id: string) =>
			JSON.stringify({ results: [{ id: `${lane.name}/${id}`, status: 422, error: 'full' }] });
		const body = { status: 200, ...ALWAYS };
		const pushFails = await run(stage, lane, shorter, [
			{ route: 'push', ...body, body: rejected('a#0') },
		]);
		if (pushFails.status === 200) return 'a rejected push was done';
		const deleteFails = await run(stage, lane, shorter, [
			{ route: 'delete', ...body, body: rejected('a#1') },
		]);
		if (deleteFails.status === 200) return 'a rejected delete was done';
		const { status, isInSync } = await run(stage, lane, shorter);
		return status === 200 && isInSync ? undefined : `status ${status}`;
	},

	'langchain 40227: what failed to be pushed is pushed by the next run of the same source':
		async (stage, lane) => {
			const source = [one('a', 'Almond'), one('b', 'Birch')];
			const failed = await run(stage, lane, source, [
				{ route: 'push', status: 500, ...ALWAYS },
			]);
			if (failed.status === 200) return 'a failed push was done';
			const { status, isInSync } = await run(stage, lane, source);
			return status === 200 && isInSync ? undefined : `status ${status}`;
		},

	'langchain PR 30520: a source without documents deletes nothing': async (stage, lane) => {
		const source = [one('a', 'Almond'), one('b', 'Birch')];
		await run(stage, lane, source);
		const { status, asked, indexed } = await run(stage, lane, [], [], {
			confirmDeletes: false,
		});
		const isKept = indexed.join() === chunksOf(lane.name, source).join();
		return status !== 200 && asked.deleted.length === 0 && isKept ? undefined : 'deleted';
	},

	'llama_index 22638: a document whose text failed is not known as done': async (stage, lane) => {
		const source = [one('a', 'Almond'), one('b', 'Birch')];
		const refused = { route: 'submit', status: 400, whenBodyContains: 'Birch' } as const;
		const failed = await run(stage, lane, source, [refused]);
		if (failed.status === 200) return 'a text that failed was done';
		const { status, isInSync, asked } = await run(stage, lane, source);
		if (asked.chunked.length !== 1) return `${asked.chunked.length} texts were chunked again`;
		return status === 200 && isInSync ? undefined : `status ${status}`;
	},

	'llama_index 22639: a changed document whose text fails keeps its previous chunks': async (
		stage,
		lane,
	) => {
		const source = [one('a', 'Almond', 'Apple')];
		await run(stage, lane, source);
		const failed = await run(
			stage,
			lane,
			[one('a', 'Acorn')],
			[{ route: 'submit', status: 400 }],
		);
		const isKept = failed.indexed.join() === chunksOf(lane.name, source).join();
		return failed.status !== 200 && isKept ? undefined : failed.indexed.join();
	},
};

/** Plays all cases, each on an empty source. */
export async function playCases(stage: SyncStage): Promise<void> {
	const [lane] = stage.lanes;
	for (const [name, play] of Object.entries(CASES)) {
		await run(stage, lane, []);
		const problem = await play(stage, lane);
		stage.checks.add(name, problem === undefined, problem);
	}
	await run(stage, lane, []);
}
