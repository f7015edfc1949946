export const NOTHING_SENT = 'Nothing was sent, because this was a dry run.';

/** What a dry run returns of items and files: entries that were checked, and no advice how to go on. */
export const DRY_RUN_RESULT = {
	done: 'checked',
	json: () => ({ dryRun: true }),
	progress: () => NOTHING_SENT,
	goOn: () => NOTHING_SENT,
};
