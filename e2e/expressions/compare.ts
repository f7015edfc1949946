/** One comparison in a process of its own: `compare.ts <engine> <runs>`. */
import '../../support/setup';

import { useExpressionEngine, type ExpressionEngine } from '../../support/expression-engine';
import { compareWithEngine } from '../../support/expressions';

const [engine, runs] = process.argv.slice(2);

async function main(): Promise<void> {
	await useExpressionEngine(engine as ExpressionEngine);
	const { all, direct } = await compareWithEngine(Number(runs));
	console.log(`${all} items, ${direct} of them read directly`);
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
