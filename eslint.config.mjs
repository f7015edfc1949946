import { readFileSync } from 'node:fs';
import path from 'node:path';

import js from '@eslint/js';
import { config as n8n } from '@n8n/node-cli/eslint';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

const SHIPPED = ['nodes/**/*.ts', 'credentials/**/*.ts'];
const NOT_SHIPPED = ['{test,support,sandbox,scripts,e2e,bench}/**/*.ts', '**/*.{js,cjs,mjs}'];

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** The folders of the nodes in package.json. */
const NODES = manifest.n8n.nodes.map((file) => path.basename(path.dirname(file)));

/** n8n's own rules, but only where n8n's scan applies them: its general blocks are for every .ts file. */
const shipped = n8n.map((block) =>
	block.files?.includes('**/*.ts') ? { ...block, files: SHIPPED } : block,
);

/** One layer: files of `target` may import nothing of nodes/ but `may` (and packages). */
const layer = (target, ...may) => ({
	target,
	from: './nodes',
	except: may.map((folder) => `./${folder}`),
	message: `${target} may only import: ${may.join(', ')} (see ARCHITECTURE.md).`,
});

/** The layers of ARCHITECTURE.md. */
const layers = {
	files: SHIPPED,
	settings: {
		// Without these the import rules cannot follow an import into another .ts file.
		'import-x/extensions': ['.ts'],
		'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
	},
	rules: {
		// TypeScript checks the same, and this rule takes almost half of the time.
		'import-x/namespace': 'off',
		'import-x/no-restricted-paths': [
			'error',
			{
				zones: [
					// The words in which it tells the flow what to do.
					layer('./nodes/shared/service', 'shared/service', 'shared/flow/verdict.ts'),
					layer('./nodes/shared/flow', 'shared/flow'),
					layer('./nodes/shared/records', 'shared/records'),
					layer('./nodes/shared/http', 'shared/http', 'shared/service'),
					layer('./nodes/shared/n8n', 'shared'),
					layer('./credentials', 'shared/http', 'shared/service'),
					...NODES.map((node) => layer(`./nodes/${node}`, node, 'shared')),
					{ target: './nodes', from: './credentials' },
				],
			},
		],
	},
};

/** Service, flow and records are pure: no n8n at run time, so they can be tested and reused alone. */
const pure = {
	files: ['nodes/shared/{service,flow,records}/**/*.ts'],
	rules: {
		'@typescript-eslint/no-restricted-imports': [
			'error',
			{
				paths: [
					{
						name: 'n8n-workflow',
						allowTypeImports: true,
						message: 'Pass what is needed as a parameter; types are fine.',
					},
				],
			},
		],
	},
};

/** Tests, the sandbox, the demo, benchmarks and the build may use all of Node.js. */
const notShipped = {
	files: NOT_SHIPPED,
	extends: [js.configs.recommended, typescript.configs.recommended],
	rules: {
		// TypeScript checks these files, plain JavaScript included, and knows Node's globals.
		'no-undef': 'off',
		'@typescript-eslint/no-unused-vars': [
			'error',
			{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
		],
	},
};

const commonjs = {
	files: ['**/*.cjs', 'gulpfile.js', 'jest.config.js'],
	rules: { '@typescript-eslint/no-require-imports': 'off' },
};

export default defineConfig(
	globalIgnores(['dist', 'coverage', '**/.cache', '**/.data', '**/node_modules']),
	shipped,
	layers,
	pure,
	notShipped,
	commonjs,
);
