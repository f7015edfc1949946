import { exampleNames } from './import';
import type { Stage } from './stage';

/** The credential of the examples, not the one with another scope. */
const FIRST_CREDENTIAL = 'Demo AI Service';

/**
 * Has n8n select the credential of the examples in a new node: n8n selects what was changed last,
 * which also is a credential in which it has stored a token during the scenarios.
 */
export async function offerFirst({ demo }: Stage): Promise<void> {
	await demo.n8n.api.saveCredential(demo.credentials[FIRST_CREDENTIAL]);
}

/** What a newcomer finds first is what the examples begin with, and nothing is left over from a scenario. */
export async function checkFirst({ demo, checks }: Stage): Promise<void> {
	const { api } = demo.n8n;
	const names = exampleNames().map((example) => demo.workflows[example].name);
	const listed = await api.workflowNames();
	checks.add(
		`n8n lists '${names[0]}' first, and nothing but the examples`,
		listed[0] === names[0] && [...listed].sort().join() === [...names].sort().join(),
		listed.join(', '),
	);
	const selected = await api.preselectedCredential(demo.credentials[FIRST_CREDENTIAL].type);
	checks.add(
		`n8n selects '${FIRST_CREDENTIAL}' in a new Chunk Text`,
		selected === FIRST_CREDENTIAL,
		selected,
	);
}
