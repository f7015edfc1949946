/** Runs the checks of n8n's publish gate on the tarball. `npm run lint` runs them on the sources. */
import { run } from '../../support/exec';
import { ROOT } from '../../support/manifest';
import { packPackage } from '../../support/packed-package';

it("n8n's publish gate passes the tarball", async () => {
	const packed = await packPackage();
	try {
		// The linter of the gate is an ES module, so it needs its own process.
		const args = ['scripts/scan.mjs', packed.folder, 'built'];
		const { stdout, stderr } = await run(process.execPath, args, ROOT);
		expect({ stdout: stdout.trim(), stderr }).toEqual({
			stdout: '{"passed":true}',
			stderr: '',
		});
	} finally {
		await packed.remove();
	}
});
