/**
 * Runs the linter from n8n's publish gate on a folder, and prints the result as JSON: `node scripts/scan.mjs FOLDER
 * source|built`.
 */
import path from 'node:path';

// @ts-expect-error -- the package ships no types
import * as scanner from '@n8n/scan-community-package/scanner/scanner.mjs';

const [folder, files] = process.argv.slice(2);
const patterns =
	files === 'source' ? scanner.SOURCE_FILE_PATTERNS : ['dist/**/*.js', 'package.json'];
console.log(JSON.stringify(await scanner.analyzePackage(path.resolve(folder), patterns)));
