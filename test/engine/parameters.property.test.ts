/** Fields read directly are what n8n's expressions make of them; `vm` is compared in e2e/. */
import { compareWithEngine } from '../../support/expressions';

test("any field of any item is what n8n's expressions make of it", async () => {
	const { direct, all } = await compareWithEngine(100);
	// Not by leaving everything to n8n.
	expect(direct / all).toBeGreaterThan(0.2);
});
