/** Installs n8n where nothing looks it up yet: `.ci/run` does so while the tests run. */
import { prepareN8n } from './n8n/install';
import { runCommand } from './shared/command';

runCommand(async () => {
	await prepareN8n();
	return true;
});
