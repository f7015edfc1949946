const { execFileSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const path = require('node:path');

/**
 * Builds the package if there is no build, because some tests load the package as n8n does: from dist.
 *
 * @param {import('jest').Config} config
 */
module.exports = ({ rootDir = '.' }) => {
	// n8n's tool writes this file at the end of the build.
	if (existsSync(path.join(rootDir, 'dist', 'types', 'nodes.json'))) return;
	console.log('\nThe package is not built yet, so it is built before the tests.');
	execFileSync('npm', ['run', 'build'], { cwd: rootDir, stdio: 'inherit' });
};
