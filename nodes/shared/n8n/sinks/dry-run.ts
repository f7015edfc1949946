export const DRY_RUN = 'Nothing was sent, because this was a dry run.';

/** What a dry run returns of items and files: entries that were checked, and no advice how to go on. */
export const CHECKED = {
	done: 'checked',
	json: () => ({ dryRun: true }),
	progress: () => DRY_RUN,
	goOn: () => DRY_RUN,
};
