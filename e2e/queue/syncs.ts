import { WEBHOOK_HEADER } from '../service/credentials';
import { indexedIn } from '../service/sandbox';
import { connected } from '../service/templates';
import type { KillStage } from '../sources/kills';
import { firstRuns, kills, twoAtOnce } from '../sources/kills';
import type { Worker } from './queue-mode';
import type { QueueStage } from './stage';

/**
 * Runs syncs whose data table is in PostgreSQL. Starts two runs at once, which may be on different workers, and kills a
 * worker that runs a sync.
 */
export async function syncs(stage: QueueStage): Promise<void> {
	const killable = killableStage(stage);
	await firstRuns(killable, 'documents');
	await twoAtOnce(killable, 'documents');
	await kills(killable, 'chunks', 1, 1);
}

/** Returns a stage that kills a worker with a new execution, and starts this worker again. */
function killableStage(stage: QueueStage): KillStage {
	const { api, sandbox, checks, workers, credentials } = stage;
	const earlier = new Set(workers.flatMap((worker) => worker.underWay()));
	const isBusy = (worker: Worker) => worker.underWay().some((id) => !earlier.has(id));
	let victim: Worker | undefined;
	return {
		checks,
		publish: async (workflow) => {
			const saved = await api.saveWorkflow(connected(workflow, credentials));
			await api.activate(saved);
			return saved.id;
		},
		call: async (path, body) =>
			await api.postPublished(path, body, { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value }),
		indexed: (prefix) => indexedIn(sandbox, prefix),
		kill: async () => {
			victim = workers.find(isBusy);
			if (!victim) return;
			victim.process.kill();
			await victim.process.ended;
			for (const id of victim.underWay()) earlier.add(id);
		},
		restart: async () => {
			if (victim) await stage.restart(victim);
		},
	};
}
