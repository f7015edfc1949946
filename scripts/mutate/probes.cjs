const { appendFileSync } = require('node:fs');

const reached = new Set();

/** @param {number} number the place of a change in the sample */
globalThis.mutateReached = (number) => {
	if (reached.has(number)) return;
	reached.add(number);
	const { testPath } = expect.getState();
	appendFileSync(String(process.env.MUTATE_REACHED), `${JSON.stringify({ number, testPath })}\n`);
};
