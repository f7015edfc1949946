/** Tests how long a run waits after a 401. During the pause, another worker can store a new token. */
import { Run } from '../../nodes/shared/run/run';
import { indexes } from '../../support/sandbox';
import { texts, useChunkText } from '../../support/chunking';

const { chunk, fault } = useChunkText();

it('each pause after a 401 doubles, and is extended at random by up to its own length', async () => {
	const { sleep } = Run.prototype;
	const pauses: number[] = [];
	jest.spyOn(Run.prototype, 'sleep').mockImplementation(async function (this: Run, ms, wake) {
		// Only the pauses after a 401 are in this range. Pauses between log lines are longer, and pauses between
		// polls are shorter.
		if (ms >= 500 && ms < 5_000) pauses.push(ms);
		await sleep.call(this, Math.min(ms, 1), wake);
	});
	const random = jest.spyOn(Math, 'random');
	for (const share of [0, 0.25, 0.999]) {
		random.mockReturnValue(share);
		fault('submit', { status: 401, times: 2 });
		await chunk(texts(1), { operation: 'submit' });
	}
	jest.restoreAllMocks();
	expect(pauses).toEqual(
		[0, 0.25, 0.999].flatMap((share) => indexes(2).map((at) => 500 * 2 ** at * (1 + share))),
	);
});
