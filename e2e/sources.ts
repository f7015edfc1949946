/**
 * Tests the syncs with sources in a real n8n: runs that are killed, runs at the same time, and the cases of each source
 * in `e2e/sources/cases.ts`. `npm run test:sources -- chunks` runs the cases of one source. The exit code is 0 only if
 * every check passed.
 */
import { runCommand } from './shared/command';
import { printChecks } from './shared/checks';
import { say, step } from './shared/progress';
import { CASES } from './sources/cases';
import { SourcesStage } from './sources/stage';

const names = process.argv.slice(2);

runCommand(async (command) => {
	say('n8n-nodes-search-ingest with sources in a real n8n');
	const stage = await SourcesStage.start(command);
	const chosen = Object.entries(CASES).filter(
		([source]) => names.length === 0 || names.includes(source),
	);
	for (const [source, cases] of chosen) {
		for (const [name, run] of Object.entries(cases)) {
			const before = stage.checks.all.length;
			await step(`${source}: ${name}`, async () => {
				try {
					await run(stage);
				} catch (error) {
					stage.checks.add(`${source}: ${name} runs to its end`, false, String(error));
				}
			});
			const added = stage.checks.all.slice(before);
			const failed = added.filter(({ passed }) => !passed);
			say(`    ${added.length} checks, ${failed.length} failed`);
			for (const { title, seen } of failed) say(`  ✗ ${title} (${seen})`);
		}
	}
	return printChecks(stage.checks);
});
