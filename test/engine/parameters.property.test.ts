/** Fields read directly are what n8n's expressions make of them; more runs, and other engines, in e2e/. */
import { compareWithEngine } from '../../support/expressions';

// Each new expression is compiled, which takes n8n some milliseconds.
const TIMEOUT_MS = 120_000;

test(
	"any field of any item is what n8n's expressions make of it",
	async () => {
		const { direct, all } = await compareWithEngine(50);
		// Not by leaving everything to n8n.
		expect(direct / all).toBeGreaterThan(0.1);
	},
	TIMEOUT_MS,
);
