import type { FileResult } from './file-sink';

const NOTHING_SENT = 'Nothing was sent, because this was a dry run.';

/**
 * Overrides a node's results in a dry run. Entries are checked instead of sent, and there is no advice on how
 * to continue.
 */
export const DRY_RUN_RESULT = {
	done: 'checked',
	json: () => ({ dryRun: true }),
	describeProgress: () => NOTHING_SENT,
	adviceToContinue: () => NOTHING_SENT,
} satisfies FileResult & { describeProgress: () => string };
