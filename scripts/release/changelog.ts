/** A version's part of CHANGELOG.md. */
export interface ChangelogEntry {
	/** The version, or `Unreleased`. */
	version: string;
	/** What follows the version: a date once it is released. */
	date: string;
	/** Everything below its heading, without the links at the end of the file. */
	text: string;
}

const HEADING = /^## \[([^\]]+)\](?: - (.+))?$/;

/**
 * The entries of a changelog in the format of Keep a Changelog.
 * @returns newest first, as they are in the file
 */
export function entriesOf(changelog: string): ChangelogEntry[] {
	const entries: ChangelogEntry[] = [];
	for (const line of changelog.split('\n')) {
		const heading = HEADING.exec(line);
		if (heading) entries.push({ version: heading[1], date: heading[2] ?? '', text: '' });
		else if (entries.length > 0 && !/^\[[^\]]+\]: /.test(line)) {
			entries[entries.length - 1].text += `${line}\n`;
		}
	}
	return entries.map((entry) => ({ ...entry, text: entry.text.trim() }));
}

/**
 * What was written after a release: the lines that announce its changes.
 * @param version the last release
 * @returns lines of all entries above it
 */
export function linesSince(changelog: string, version: string): string[] {
	const entries = entriesOf(changelog);
	const last = entries.findIndex((entry) => entry.version === version);
	const newer = last < 0 ? entries : entries.slice(0, last);
	return newer.flatMap(({ text }) => text.split('\n')).filter((line) => line.trim() !== '');
}

/**
 * What the changelog lacks for a release of this version.
 * @returns one text per fault, none if it is ready
 */
export function changelogFaults(changelog: string, version: string): string[] {
	const entries = entriesOf(changelog);
	const entry = entries.find((candidate) => candidate.version === version);
	if (!entry) return [`CHANGELOG.md has no entry for ${version}`];
	const faults: string[] = [];
	if (entry !== entries[0]) faults.push(`${version} is not the first entry of CHANGELOG.md`);
	if (!/^\d{4}-\d{2}-\d{2}$/.test(entry.date) || Number.isNaN(Date.parse(entry.date))) {
		faults.push(
			`the entry for ${version} in CHANGELOG.md has no date: npm run release:prepare`,
		);
	}
	if (entry.text === '') faults.push(`the entry for ${version} in CHANGELOG.md is empty`);
	return faults;
}

/**
 * The changelog with the newest entry as the release of this version.
 * @param changelog whose first entry is that of the version, of a prerelease of it, or `Unreleased`
 * @param date such as 2026-11-22
 * @param releases URL that the tag of a release is added to
 * @throws Error if the first entry is that of another version
 */
export function withRelease(
	changelog: string,
	version: string,
	date: string,
	releases: string,
): string {
	const [newest] = entriesOf(changelog);
	const base = (name = '') => name.split('-')[0];
	if (newest?.version !== 'Unreleased' && base(newest?.version) !== base(version)) {
		throw new Error(`CHANGELOG.md begins with ${newest?.version}, not with ${version}`);
	}
	const lines = changelog
		.split('\n')
		.filter((line) => !line.startsWith(`[${newest.version}]: `))
		.map((line) =>
			HEADING.exec(line)?.[1] === newest.version ? `## [${version}] - ${date}` : line,
		);
	const links = lines.findIndex((line) => /^\[\d[^\]]*\]: /.test(line));
	const end = lines.at(-1) === '' ? lines.length - 1 : lines.length;
	lines.splice(links < 0 ? end : links, 0, `[${version}]: ${releases}/${version}`);
	return lines.join('\n');
}
