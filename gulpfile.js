/**
 * Defines the build as a graph of named tasks:
 *
 *   clean -> compile, icons, codex, schemas (in parallel) -> metadata
 *
 * `gulp` or `gulp build` runs the build. `gulp dev` rebuilds after each change to a source file. `gulp test` runs the
 * build and then the tests. `gulp check` also runs the build and the tests. At the same time, it checks types, lint and
 * formatting.
 */
const { copyFile, readdir, rm } = require('node:fs/promises');
const path = require('node:path');
const { finished } = require('node:stream/promises');

const { dest, parallel, series, src, watch } = require('gulp');

const DIST = path.join(__dirname, 'dist');
const BIN = path.join(__dirname, 'node_modules', '.bin');

const SOURCES = '{nodes,credentials}/**/*.ts';
const ICONS = '{nodes,credentials}/**/*.{svg,png}';
const CODEX = 'nodes/**/*.node.json';
const SCHEMAS = 'nodes/**/__schema__/**/*.json';

/**
 * Operations with the same output share a schema. n8n expects one file per operation, so the build copies the
 * schema.
 */
const SHARED_SCHEMAS = [
	{ from: 'nodes/ChunkText/__schema__/v1.0.0/submitAndWait.json', to: 'getResults.json' },
];

/**
 * Runs a tool from node_modules and shows its output.
 *
 * @param {string} tool
 * @param {string[]} args
 */
async function run(tool, ...args) {
	const { execa } = await import('execa');
	await execa(path.join(BIN, tool), args, { cwd: __dirname, stdio: 'inherit' });
}

/**
 * Copies files into dist without changing the files or their folder structure.
 *
 * @param {string} pattern
 */
function copy(pattern) {
	return src(pattern, { base: '.', encoding: false }).pipe(dest('dist'));
}

async function clean() {
	await rm(DIST, { recursive: true, force: true });
}

async function compile() {
	await run('tsc', '--project', 'tsconfig.json');
}

const icons = () => copy(ICONS);
const codex = () => copy(CODEX);

async function schemas() {
	await finished(copy(SCHEMAS));
	for (const { from, to } of SHARED_SCHEMAS) {
		const written = path.join(DIST, from);
		await copyFile(written, path.join(path.dirname(written), to));
	}
}

/**
 * Writes dist/known and dist/types with n8n's own tool. n8n reads these files when it starts, and loads our code only
 * when a workflow uses one of our nodes for the first time.
 */
async function metadata() {
	await run('n8n-generate-metadata');
	// n8n's tool also writes dist/methods for n8n's own checks. n8n never reads this folder from an installed
	// package.
	await rm(path.join(DIST, 'methods'), { recursive: true, force: true });
	const written = await Promise.all(
		['known', 'types'].map(async (folder) => await readdir(path.join(DIST, folder))),
	);
	if (written.flat().length !== 4) throw new Error('n8n-generate-metadata wrote not all files');
}

const copies = parallel(icons, codex, schemas);
const build = series(clean, parallel(compile, copies), metadata);

build.displayName = 'build';

/**
 * Returns a task that runs a tool.
 *
 * @param {string} tool
 * @param {string[]} args
 */
function task(tool, ...args) {
	const running = async () => await run(tool, ...args);
	running.displayName = tool;
	return running;
}

const CACHE = '.cache/prettier';
/**
 * The simulations and the tests of speed and memory are not included, because they need as much processor time as all
 * other tests. `npm run test:worlds` runs them. Outside CI, property tests try a fifth of their inputs
 * (`support/runs.ts`).
 */
async function jest() {
	process.env.RUNS ??= process.env.CI ? '1' : '0.2';
	await run('jest', '--testPathIgnorePatterns', '/test/worlds/', '/test/performance/');
}

const test = series(build, jest);
test.displayName = 'test';

/** Only the tests need the output of the build, so everything else starts immediately. */
const check = parallel(
	test,
	task('tsc', '-p', 'tsconfig.dev.json'),
	task('eslint', '.', '--max-warnings', '0'),
	task('tsx', 'scripts/lint/index.ts'),
	task(
		'prettier',
		'--check',
		'.',
		'--cache',
		'--cache-location',
		CACHE,
		'--cache-strategy',
		'content',
	),
);

/** Builds once, and then rebuilds after each change. To see the result, link this folder into n8n. */
const dev = series(build, function watching() {
	watch(SOURCES, series(compile, metadata));
	watch([ICONS, CODEX, SCHEMAS], series(copies, metadata));
});

module.exports = { build, test, check, dev, default: build };
