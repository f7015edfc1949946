import { messageOf } from '../../shared/n8n/run/errors';
import { count, doneText, troubleText } from '../../shared/n8n/run/hints';
import type { Run } from '../../shared/n8n/run/run';
import type { Coverage } from '../../shared/service/chunking/chunking';

/** More errors of final polls than this are only counted. */
const MAX_LAST_ERRORS = 5;

/** What a user should know beside the output. */
export class ChunkHints {
	/** Texts that are returned unfinished. */
	private pending = 0;
	/** Errors of their final polls. */
	private readonly lastErrors = new Set<string>();
	private withoutChunks = 0;
	private withoutVectors = 0;
	private foreign = 0;
	private cutTexts = 0;
	private cutCharacters = 0;

	/**
	 * Counts a text that was chunked.
	 *
	 * @param chunks how many chunks it has
	 * @param coverage how much of the text they cover
	 * @param lacksVectors whether vectors are wanted and no chunk has one
	 */
	chunked(chunks: number, { missing, isOwn }: Coverage, lacksVectors: boolean): void {
		if (chunks === 0) this.withoutChunks++;
		else if (lacksVectors) this.withoutVectors++;
		if (!isOwn) this.foreign++;
		if (missing === 0) return;
		this.cutTexts++;
		this.cutCharacters += missing;
	}

	/** Counts texts that are returned unfinished; `lastError` is that of their final poll, if it failed. */
	unfinished(texts: number, lastError: unknown): void {
		this.pending += texts;
		if (lastError !== undefined) this.lastErrors.add(messageOf(lastError));
	}

	/** @param isFetched whether chunks were to be returned, and not only chunking IDs */
	addTo(run: Run, isFetched = true): void {
		const { withoutChunks, withoutVectors, foreign, cutTexts, cutCharacters, pending } = this;
		const verb = isFetched ? 'chunked' : 'submitted';
		const done = doneText(run.stats, run.meter.seconds, 'text', verb);
		if (done !== '') run.hint(done, 'info');
		const trouble = troubleText(run.stats);
		if (trouble !== '') run.hint(trouble, 'info');
		const errors = [...this.lastErrors];
		for (const error of errors.slice(0, MAX_LAST_ERRORS)) {
			run.hint(`The final poll failed: ${error}`);
		}
		const others = errors.length - MAX_LAST_ERRORS;
		if (others > 0) run.hint(`Final polls failed with ${count(others, 'more error')}`);
		if (foreign > 0) {
			run.hint(
				`The chunks of ${count(foreign, 'text')} are not what the text has at their positions. The service may have changed them.`,
			);
		}
		if (withoutChunks > 0) {
			run.hint(
				`${count(withoutChunks, 'text')} gave no chunks: the chunker found nothing in them. Check the texts and the settings of the chunker.`,
			);
		}
		if (withoutVectors > 0) {
			run.hint(
				`${count(withoutVectors, 'text')} ${withoutVectors === 1 ? 'has' : 'have'} no vectors that this node can read. To see what the service returns, set 'Output' to 'Raw'.`,
			);
		}
		if (cutTexts > 0) {
			run.hint(
				`The service omitted the end of ${count(cutTexts, 'text')}, ${count(cutCharacters, 'character')} in total. Shorten the texts, or add 'Vector Quantization Method' or a smaller 'Dimension Reduction Size' to the options: the service then accepts more chunks.`,
			);
		}
		if (pending > 0 && isFetched) {
			run.hint(
				`${count(pending, 'text')} not finished. Fetch the chunks later with the operation 'Get Results'.`,
			);
		}
	}
}
