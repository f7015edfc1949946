/**
 * Share of a property test's random inputs that it tries. `npm test` tries a fifth, so that it stays fast. CI, `npm run test:worlds`
 * and `npx jest` try all of them, and `RUNS=5 npx jest FILE` tries five times as many.
 */
const share = Number(process.env.RUNS ?? 1);

/** True if fewer inputs are tried than the test asks for, so that rare variations may be missing. */
export const isQuick = share < 1;

/**
 * Returns the number of inputs to try.
 *
 * @param number enough inputs for each variation to occur
 */
export const runs = (number: number): number => Math.max(1, Math.ceil(number * share));
