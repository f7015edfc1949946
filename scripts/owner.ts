/**
 * Replaces the package's owner throughout the repository. The current values are read from package.json.
 *
 *   npx tsx scripts/owner.ts OWNER/NAME "Full Name" you@your.domain
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Owner {
	repository: string;
	author: string;
	email: string;
}

export function ownerOf(root: string): Owner {
	const { repository, author } = JSON.parse(
		readFileSync(path.join(root, 'package.json'), 'utf8'),
	) as { repository: { url: string }; author: { name: string; email: string } };
	return {
		repository: repository.url.replace(/\.git$/, ''),
		author: author.name,
		email: author.email,
	};
}

/** Replaces the owner in all files in the repository, and returns the files that changed. */
export function replaceOwner(root: string, owner: Owner): string[] {
	const before = ownerOf(root);
	const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
		.split('\n')
		.filter((file) => file !== '' && !/\.(png|svg)$|package-lock\.json$/.test(file));
	return files.filter((file) => {
		const text = readFileSync(path.join(root, file), 'utf8');
		let written = text.replaceAll(before.repository, owner.repository);
		// In other files, the author's name can occur as an ordinary word.
		if (['LICENSE', 'package.json'].includes(file)) {
			written = written
				.replaceAll(before.author, owner.author)
				.replaceAll(before.email, owner.email);
		}
		if (written === text) return false;
		writeFileSync(path.join(root, file), written);
		return true;
	});
}

if (process.argv[1]?.endsWith('owner.ts')) {
	const [repository = '', author = '', email = ''] = process.argv.slice(2);
	if (!/^[\w-]+\/[\w.-]+$/.test(repository) || author === '' || !/^\S+@\S+\.\S+$/.test(email)) {
		console.error('npx tsx scripts/owner.ts OWNER/NAME "Full Name" you@your.domain');
		process.exit(1);
	}
	const owner = { repository: `https://github.com/${repository}`, author, email };
	console.log(`Written: ${replaceOwner(process.cwd(), owner).join(', ') || 'nothing'}`);
	console.log('Now run npm run format: longer lines may break elsewhere.');
}
