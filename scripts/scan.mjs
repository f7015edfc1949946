/**
 * Runs the linter of n8n's publish gate: over the sources of this folder and, where there is one,
 * over the built files. `node scripts/scan.mjs [folder] [--json] [--only=source|built]`; exit code 1
 * on any violation.
 */
import path from 'node:path';

// @ts-expect-error -- the package ships no types
import * as scanner from '@n8n/scan-community-package/scanner/scanner.mjs';

const args = process.argv.slice(2);
const folder = path.resolve(args.find((arg) => !arg.startsWith('--')) ?? '.');

/** @type {Record<string, string[]>} */
const patterns = {
	source: scanner.SOURCE_FILE_PATTERNS,
	built: ['dist/**/*.js', 'package.json'],
};
const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
/** @type {Record<string, { passed: boolean, message?: string, details?: string }>} */
const results = {};
for (const name of only ? [only] : Object.keys(patterns)) {
	results[name] = await scanner.analyzePackage(folder, patterns[name]);
}

if (args.includes('--json')) {
	console.log(JSON.stringify(results));
} else {
	for (const [name, { passed, message, details }] of Object.entries(results)) {
		console.log(`${name}: ${passed ? 'passed' : message}`);
		if (details) console.log(details);
	}
}
process.exitCode = Object.values(results).every(({ passed }) => passed) ? 0 : 1;
