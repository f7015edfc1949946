import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { OLD_CORE } from './old-engine';

const STAMP = path.join(OLD_CORE, 'node_modules', '.complete');

/**
 * Installs the engine of n8n 1.123 into e2e/old-core, if it isn't there yet: 240 MB, about 20 s.
 * Jest calls it before the tests.
 */
export default async function installOldEngine(): Promise<void> {
	const lock = readFileSync(path.join(OLD_CORE, 'package-lock.json'));
	const stamp = createHash('sha256').update(lock).digest('hex');
	if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return;
	process.stdout.write('Installing the engine of n8n 1.123 (about 20 s)\n');
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--legacy-peer-deps', ...quiet], {
		cwd: OLD_CORE,
	});
	writeFileSync(STAMP, stamp);
}
