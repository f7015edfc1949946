import { ServiceFailure } from '../shared/service/failure';

const OTHER_SERVER_ADVICE =
	"Check 'Push Service URL' in the credential, because another server may have answered.";
const SLASH_ADVICE =
	"It is unknown whether the document exists, because a proxy in front of the service may have answered. Some proxies reject or decode %2F, which stands for a slash in the ID. Check 'Push Service URL' in the credential, and whether the proxy passes on %2F. Once the run has deleted another ID with a slash, status 404 counts as not found.";
const NOT_FOUND_ADVICE =
	"Check 'Push Service URL' in the credential and the ID. If unknown IDs are fine, turn on 'Ignore Not Found'.";
const SLASH_HINT =
	'The service answered with status 404 for all IDs with a slash, and for no others. Check whether a proxy rejects or decodes %2F in paths.';

/**
 * Decides what status 404 says about a document. Until another delete has succeeded, a proxy instead of the service
 * might have answered. Some proxies reject %2F in paths, so IDs with a slash are counted separately.
 */
export class NotFound {
	private readonly counts = { deleted: 0, deletedWithSlash: 0, missing: 0, missingWithSlash: 0 };
	/** Entries that an attempt with an unknown outcome may have deleted. */
	private readonly mayBeDeleted = new WeakSet<object>();

	/** @param isFine whether the user wants unknown IDs to count as successes */
	constructor(private readonly isFine: boolean) {}

	countDeleted({ id }: { id: string }): void {
		this.counts[hasSlash(id) ? 'deletedWithSlash' : 'deleted']++;
	}

	/** @throws the error of the attempt, unless it is an acceptable 404 */
	resultAfter(error: unknown, entry: { id: string }): 'deleted' | 'notFound' {
		if (!(error instanceof ServiceFailure)) throw error;
		if (error.isOutcomeUnknown) this.mayBeDeleted.add(entry);
		if (error.httpStatus !== 404) throw error;
		const { counts } = this;
		counts[hasSlash(entry.id) ? 'missingWithSlash' : 'missing']++;
		if (hasSlash(entry.id)) {
			if (counts.deletedWithSlash === 0)
				throw error.with({ description: SLASH_ADVICE, isOutcomeUnknown: true });
		} else if (error.isText && counts.deleted + counts.deletedWithSlash === 0) {
			throw error.with({ description: OTHER_SERVER_ADVICE });
		}
		if (this.mayBeDeleted.has(entry)) return 'deleted';
		if (this.isFine) return 'notFound';
		throw error.with({ description: NOT_FOUND_ADVICE });
	}

	/** Returns a hint about a proxy that may have rejected all IDs with a slash, or ''. */
	hint(): string {
		const { deleted, deletedWithSlash, missing, missingWithSlash } = this.counts;
		const areOnlySlashesMissing = missing === 0 && missingWithSlash > 0;
		return areOnlySlashesMissing && deletedWithSlash === 0 && deleted > 0 ? SLASH_HINT : '';
	}
}

const hasSlash = (id: string): boolean => id.includes('/');
