/** The tarball passes the checks of n8n's publish gate; `npm run lint` checks the sources. */
import { run } from '../../support/exec';
import { ROOT } from '../../support/manifest';
import { packPackage } from '../../support/packed-package';

it("n8n's publish gate passes the tarball", async () => {
	const packed = await packPackage();
	try {
		// The gate's linter is an ES module, so it runs in a process of its own.
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
