/**
 * Builds the examples: each file in `examples/src/` defines one workflow and becomes a JSON file in `examples/`.
 * `npm run examples` writes the files.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import * as prettier from 'prettier';

import type { Workflow } from '../examples/src/parts/workflow';
import { ROOT } from '../support/manifest';
import { groupFaults } from './lint/groups';

const EXAMPLES = path.join(ROOT, 'examples');
const SOURCES = path.join(EXAMPLES, 'src');

interface Built {
	file: string;
	text: string;
	workflow: Workflow;
}

async function builtExamples(): Promise<Built[]> {
	const sources = readdirSync(SOURCES).filter((file) => file.endsWith('.ts'));
	return await Promise.all(sources.map(build));
}

async function build(source: string): Promise<Built> {
	const module = (await import(path.join(SOURCES, source))) as { default: Workflow };
	// A file without a default export is loaded with its whole module as default.
	const { default: workflow } = module;
	const { name, nodes, connections, nodeGroups, settings, pinData } = workflow;
	const file = path.join(EXAMPLES, `${path.basename(source, '.ts')}.json`);
	const ordered = nodes.map(
		({ id, name: nodeName, type, typeVersion, position, parameters, ...more }) => ({
			...{ id, name: nodeName, type, typeVersion, position, parameters },
			...more,
		}),
	);
	const stored = {
		...{ name, nodes: ordered, connections },
		...(nodeGroups.length > 0 && { nodeGroups }),
		...{ settings, pinData, active: false },
	};
	const options = (await prettier.resolveConfig(file, { editorconfig: true })) ?? {};
	const text = await prettier.format(JSON.stringify(stored, null, '\t'), {
		...options,
		filepath: file,
	});
	return { file, text, workflow };
}

/** Returns a line for each example that differs from what its source builds, has no source, or has wrong groups. */
export async function exampleFaults(): Promise<string[]> {
	const built = await builtExamples();
	const different = built.filter(
		({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
	);
	const withSource = built.map(({ file }) => path.basename(file));
	const others = readdirSync(EXAMPLES)
		.filter((file) => file.endsWith('.json') && !withSource.includes(file))
		.map((file) => `examples/${file} has no source in examples/src`);
	return [
		...different.map(({ file }) => `${path.relative(ROOT, file)}: run npm run examples`),
		...others,
		...built.flatMap(({ workflow }) => groupFaults(workflow)),
	];
}

async function writeExamples(): Promise<void> {
	for (const { file, text } of await builtExamples()) writeFileSync(file, text);
}

if (require.main === module) {
	writeExamples().catch((error: unknown) => {
		process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
		process.exit(1);
	});
}
