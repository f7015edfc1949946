/**
 * Runs the linter from n8n's publish gate on a folder: `node scripts/scan.mjs FOLDER source|built`. Prints the result
 * as JSON.
 */
import path from 'node:path';

// @ts-expect-error -- the package ships no types
import * as scanner from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, files] = process.argv.slice(2);
const patterns =
	files === 'source' ? scanner.SOURCE_FILE_PATTERNS : ['dist/**/*.js', 'package.json'];
console.log(JSON.stringify(await scanner.analyzePackage(path.resolve(folder), patterns)));
