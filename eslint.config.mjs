import { readFileSync } from 'node:fs';
import path from 'node:path';

import js from '@eslint/js';
import { config as n8n } from '@n8n/node-cli/eslint';
import { defineConfig, globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

const SHIPPED = ['nodes/**/*.ts', 'credentials/**/*.ts'];
const NOT_SHIPPED = [
	'{test,support,sandbox,scripts,examples,e2e,bench}/**/*.ts',
	'**/*.{js,cjs,mjs}',
];

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

const NODES = manifest.n8n.nodes.map((file) => path.basename(path.dirname(file)));

/** n8n's rules, limited to shipped code. n8n's scan does not check other code either. */
const shipped = n8n.map((block) =>
	block.files?.includes('**/*.ts') ? { ...block, files: SHIPPED } : block,
);

/** Defines a layer. Within nodes/, the files in `target` can import only from `may`. */
const layer = (target, ...may) => ({
	target,
	from: './nodes',
	except: may.map((folder) => `./${folder}`),
	message: `${target} may only import: ${may.join(', ')} (see ARCHITECTURE.md).`,
});

/** The folders that know nothing of n8n's execution. */
const PURE = ['shared/sending', 'shared/formats', 'shared/service'];
const EXECUTION = ['shared/run', 'shared/parameters'];

const layers = {
	files: SHIPPED,
	settings: {
		// Without these settings, the import rules do not follow imports of other .ts files.
		'import-x/extensions': ['.ts'],
		'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
	},
	rules: {
		// TypeScript already checks imported names, and this rule would take almost half of the total lint time.
		'import-x/namespace': 'off',
		'import-x/no-restricted-paths': [
			'error',
			{
				zones: [
					// A failure's diagnosis tells the sending code whether to try again.
					layer(
						'./nodes/shared/service',
						'shared/service',
						'shared/sending/diagnosis.ts',
					),
					layer('./nodes/shared/sending', 'shared/sending'),
					layer('./nodes/shared/formats', 'shared/formats'),
					layer('./nodes/shared/run', 'shared/run', ...PURE),
					layer('./nodes/shared/parameters', 'shared/parameters', ...PURE),
					layer('./nodes/shared/session', 'shared/session', ...EXECUTION, ...PURE),
					layer('./nodes/shared/output', 'shared/output', ...EXECUTION, ...PURE),
					layer(
						'./nodes/shared/input',
						'shared/input',
						'shared/output',
						...EXECUTION,
						...PURE,
					),
					// Credentials send through n8n, so they use the hooks and never the session.
					layer(
						'./credentials',
						'shared/session/credential-hooks.ts',
						'shared/session/token-sender.ts',
						'shared/service',
					),
					...NODES.map((node) => layer(`./nodes/${node}`, node, 'shared')),
					{ target: './nodes', from: './credentials' },
					{ target: './nodes/ChunkText/input', from: './nodes/ChunkText/jobs' },
					{ target: './nodes/ChunkText/input', from: './nodes/ChunkText/output' },
					{ target: './nodes/ChunkText/jobs', from: './nodes/ChunkText/output' },
				],
			},
		],
	},
};

/**
 * The folders service, sending and formats do not use n8n at run time, so they can be tested and reused without it.
 */
const pure = {
	files: ['nodes/shared/{service,sending,formats}/**/*.ts'],
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

/** Code that is not shipped may use all of Node.js. */
const notShipped = {
	files: NOT_SHIPPED,
	extends: [js.configs.recommended, typescript.configs.recommended],
	rules: {
		// TypeScript also checks these files, even plain JavaScript files. It knows Node's global names.
		'no-undef': 'off',
		'@typescript-eslint/no-unused-vars': [
			'error',
			{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' },
		],
	},
};

const commonjs = {
	files: ['**/*.cjs', 'gulpfile.js', 'jest.config.js', 'examples/src/code/**/*.js'],
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
