import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../shared/paths';

/** A document in the format that the ingest workflow accepts. */
export interface SourceDocument {
	id: string;
	name: string;
	url: string;
	text: string;
}

/** Folders with this project's Markdown files. Subfolders are ignored. */
const FOLDERS = ['.', 'docs', 'sandbox', 'examples', 'e2e', 'bench'];

function markdownIn(folder: string): string[] {
	const absolute = path.join(ROOT, folder);
	if (!existsSync(absolute)) return [];
	const names = readdirSync(absolute).filter((name) => name.endsWith('.md'));
	return names.sort().map((name) => path.posix.join(folder, name));
}

function homepage(): string {
	const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
		name: string;
		homepage?: string;
	};
	return (manifest.homepage ?? `https://www.npmjs.com/package/${manifest.name}`).split('#')[0];
}

export function repositoryDocuments(): SourceDocument[] {
	const base = homepage();
	return FOLDERS.flatMap(markdownIn).map((id) => {
		const text = readFileSync(path.join(ROOT, id), 'utf8');
		const heading = /^#+ +(.+)$/m.exec(text)?.[1];
		return { id, name: heading ?? id, url: `${base}#${id}`, text };
	});
}
