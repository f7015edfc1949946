type State = 'finished, but not put out' | 'not finished' | 'failed';

/** More chunking IDs than these make no message a person would read. */
const MAX_IDS_IN_MESSAGE = 100;

/** All chunking IDs of a run and what became of them, so that none is lost however it ends. */
export class ChunkingIds {
	private readonly states = new Map<string, State>();

	set(chunkingId: string, state: State): void {
		this.states.set(chunkingId, state);
	}

	/** For the error of a run that ends early: what is still to be had comes first. */
	toString(): string {
		const states: State[] = ['not finished', 'failed', 'finished, but not put out'];
		return states
			.map((state) => this.list(state))
			.filter(Boolean)
			.join(' ');
	}

	private list(wanted: State): string {
		const ids = [...this.states].filter(([, state]) => state === wanted).map(([id]) => id);
		if (ids.length === 0) return '';
		const others = ids.length - MAX_IDS_IN_MESSAGE;
		const more = others > 0 ? ` and ${others} more` : '';
		return `Chunking IDs ${wanted}: ${ids.slice(0, MAX_IDS_IN_MESSAGE).join(', ')}${more}.`;
	}
}
