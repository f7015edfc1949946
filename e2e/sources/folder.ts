import {
	copyFileSync,
	cpSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { DEMO } from '../../sandbox';
import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/workflow';
import { sftpCredential } from '../service/credentials';
import type { SftpServer } from '../service/sftp';
import { startSftp } from '../service/sftp';
import { CACHE } from '../shared/paths';
import { freePort } from '../shared/ports';
import type { Cases } from './runs';
import {
	BY_HAND,
	BY_TIME,
	checkPlan,
	counted,
	deleteLock,
	inTurn,
	killInTheMiddle,
	readExample,
	result,
	startTwo,
	valueOf,
} from './runs';
import type { SourcesStage } from './stage';

const EXAMPLE = 'sync-of-a-folder';
const PREFIX = 'folder/';

const FIXTURES = path.join(__dirname, 'files');
const FILES_PER_BATCH = 5;
const TEXTS = 24;

/** Returns the cases against an SFTP server. */
export const folderCases = (): Cases =>
	inTurn(async (stage) => await FolderCases.start(stage), {
		changes: async (cases) => await cases.changes(),
		'odd files': async (cases) => await cases.oddFiles(),
		'a file that is being written': async (cases) => await cases.beingWritten(),
		'files that cannot be read': async (cases) => await cases.unreadable(),
		'a list that is cut off': async (cases) => await cases.cutOff(),
		'no folder': async (cases) => await cases.noFolder(),
		'no server': async (cases) => await cases.unreachable(),
		'one text for many': async (cases) => await cases.signInPage(),
		'two runs at once': async (cases) => await cases.twice(),
		'killed in the middle': async (cases) => await cases.killed(),
	});

class FolderCases {
	/** Each file with a part of the text that the index must contain of it. */
	private readonly expected = new Map<string, string>();

	private minutes = 0;

	private constructor(
		private readonly stage: SourcesStage,
		private readonly server: SftpServer,
		private readonly workflow: Workflow,
		private readonly id: string,
	) {}

	/** With small batches, a run can be killed in the middle. The IDs have a prefix. */
	static async start(stage: SourcesStage): Promise<FolderCases> {
		const server = await startSftp(stage.command, path.join(CACHE, 'sources'));
		await stage.n8n.api.saveCredential(sftpCredential(server));
		const workflow = readExample(EXAMPLE, [
			[/const batchSize = 10;/, `const batchSize = ${FILES_PER_BATCH};`],
			[valueOf('folder'), JSON.stringify(server.folder)],
			[valueOf('prefix'), JSON.stringify(PREFIX)],
			[valueOf('fields'), JSON.stringify('folder, extension')],
		]);
		return new FolderCases(stage, server, workflow, await stage.publish(workflow));
	}

	async changes(): Promise<void> {
		this.copy('guide.pdf', 'Delivery takes two working days');
		this.copy('handbook.pdf', 'Rule 60 says');
		this.copy('prices.xlsx', 'Name: Ladder; Price: 79.5; Size: 2 m, foldable');
		this.copy('terms.docx', '# Terms');
		this.copy('talk.pptx', 'A ladder costs 79 euros.');
		this.copy('stock.xlsx', 'Item: Nail; Since: 24.12.2026');
		const csv = 'Name;Größe\r\nLeiter;"2 m; klappbar"\r\nSäge;50 cm\r\n';
		this.write('tables/prices.csv', Buffer.from(csv, 'latin1'), 'Name: Säge; Größe: 50 cm');
		this.write('tables/excel.csv', 'sep=;\r\nA;B\r\n1,5;2\r\n', 'A: 1,5; B: 2');
		this.write('notes/latin.txt', Buffer.from('Caf\xe9', 'latin1'), 'Café');
		this.write(
			'notes/french.txt',
			'« prolongé » «\u00a0Küçük\u00a0»',
			'« prolongé » «\u00a0Küçük\u00a0»',
		);
		const oneBadByte = Buffer.concat([
			Buffer.from('Größe für Maß\n'),
			Buffer.from('caf\xe9\n', 'latin1'),
		]);
		this.write('notes/mixed.txt', oneBadByte, 'Größe für Maß\ncafé');
		this.write('tables/utf8.CSV', 'Name,Name\nÜber,"a ""b"""\n', 'Name: Über; Name: a "b"');
		this.write('notes/Notes & more.md', '# Notes\n\nBring a *pen*.', 'Bring a *pen*.');
		const page =
			'<html><head><title>Our help</title></head><body><nav>Home</nav><main><h2>Help</h2><p>Call us.</p><p>Or write.</p></main></body></html>';
		this.write('page.html', page, '## Help\n\nCall us.\n\nOr write.');
		for (let number = 1; number <= TEXTS; number++) this.text(number);
		const skipped = ['letter.doc', 'photo.JPG', 'notes/old.doc', '.DS_Store', 'README'];
		for (const name of skipped) this.write(name, 'not read');
		const all = this.expected.size;

		const plan = await this.plan('before the first run', `new ${all}`);
		this.check(
			'the plan says how many files would be downloaded, and which are skipped',
			JSON.stringify([plan.requests, plan.willBeAsked, (plan.skippedIds as string[]).length]),
			JSON.stringify([all, all, skipped.length]),
		);
		const first = await this.sync('a first load', `success, pushed ${all}`);
		const skippedKinds = Object.entries(Object(result(first).skipped))
			.map(String)
			.sort();
		this.check(
			'skipped files are counted by kind',
			skippedKinds.join('; '),
			'doc,2; files without extension,1; hidden files,1; jpg,1',
		);
		this.check('chunks know their pages', this.pagesOf('guide.pdf'), '1-3');
		const wrongPages = this.chunksOf('handbook.pdf').filter(
			({ text, page, pageEnd = page }) => {
				const numbers = String(text).match(/(?<=page |Rule |day )\d+/g) ?? [];
				return Number(numbers[0]) !== page || Number(numbers.at(-1)) !== pageEnd;
			},
		);
		this.check('of 60 pages, too', JSON.stringify(wrongPages), '[]');
		this.check(
			'slides are pages, with the notes of the speaker',
			`${this.pagesOf('talk.pptx')}: ${this.textOf('talk.pptx').includes('Welcome everybody.')}`,
			'1-2: true',
		);
		this.check(
			'a workbook is read with all its sheets',
			String(this.textOf('stock.xlsx').includes('# Notes\n\nCount in June.')),
			'true',
			this.textOf('stock.xlsx'),
		);
		const [help] = this.chunksOf('page.html');
		this.check(
			'a page has its title and no navigation',
			`${String(help.name)}, ${String(help.text).includes('Home')}`,
			'Our help, false',
		);
		this.check(
			'the URL is where people open the file',
			String(this.chunksOf('notes/Notes & more.md')[0]?.url),
			'https://files.example.com/notes/Notes%20%26%20more.md',
		);

		const found = this.stage.sandbox
			.search(DEMO.endpoint, 'ladder')
			.filter((hit) => Object(hit).extension === 'pptx');
		this.check(
			'a search can be filtered by a field',
			found.map(({ parentId }) => String(parentId)).join(),
			`${PREFIX}talk.pptx`,
		);

		const before = this.stage.sandbox.requests.length;
		await this.sync('nothing changed', `success, unchanged ${all}`);
		const requests = this.stage.sandbox.requests.length - before;
		this.check('an unchanged folder costs no request', String(requests), '0');
		this.text(7, 'New words for seven.');
		await this.plan('with one changed', `changed 1, unchanged ${all - 1}`);
		await this.sync('one changed', `success, pushed 1, unchanged ${all - 1}`);
		this.remove('texts/8.txt');
		await this.plan('with one deleted', `missing 1, unchanged ${all - 1}`);
		await this.sync('one deleted', `success, deleted 1, unchanged ${all - 1}`);
	}

	/** Empty files, and names that need care in URLs, IDs or encodings. */
	async oddFiles(): Promise<void> {
		const all = this.expected.size;
		const odd = ['empty.txt', 'empty.html', 'empty.csv'];
		for (const name of odd) this.write(name, '');
		this.write('Über #1 {{ 2 }} %41.txt', 'An odd name.', 'An odd name.');
		const latin1 = Buffer.from(path.join(this.server.folder, 'K\xfcche.txt'), 'latin1');
		writeFileSync(latin1, 'No name in UTF-8');
		const execution = await this.sync(
			'odd files',
			`success, pushed 1, notIndexed 3, unchanged ${all}`,
		);
		const { skipped } = result(execution);
		this.check(
			'a name that is not UTF-8 is counted',
			String(Object(skipped)['unreadable names']),
			'1',
		);
		await this.sync('the same odd files', `success, unchanged ${all + 4}`);
		for (const name of [...odd, 'Über #1 {{ 2 }} %41.txt']) this.remove(name);
		rmSync(latin1);
		await this.sync('no odd files', `success, deleted 1, notIndexed 3, unchanged ${all}`);
	}

	async beingWritten(): Promise<void> {
		const all = this.expected.size + 1;
		const old = this.expected.get('texts/9.txt') ?? '';
		this.text(9, 'Half a sent');
		this.touch('texts/9.txt', Date.now());
		this.expected.set('texts/9.txt', old);
		const waiting = await this.sync('one being written', `success, unchanged ${all - 2}`);
		this.check('it waits', String(result(waiting).later), '1');
		this.text(9, 'Half a sentence is whole now.');
		await this.sync('one written', `success, pushed 1, unchanged ${all - 2}`);
	}

	/** Files that cannot be read keep what the index has, are named, and are not read again until they change. */
	async unreadable(): Promise<void> {
		const all = this.expected.size;
		this.put('guide.pdf', 'encrypted.pdf');
		for (const name of ['scan.pdf', 'broken.pdf']) this.put(name, name);
		const xlsx = readFileSync(path.join(FIXTURES, 'prices.xlsx'));
		this.write('half.xlsx', xlsx.subarray(0, xlsx.length / 2));
		const ole = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]);
		const isEncrypted = Buffer.from('EncryptedPackage', 'utf16le');
		this.write('secret.docx', Buffer.concat([ole, isEncrypted]));
		this.write('binary.txt', Buffer.from([65, 0, 66, 0, 0, 67]));
		const execution = await this.sync(
			'files that cannot be read',
			`error, unchanged ${all - 1}, unreadable 6`,
			'could not be read',
		);
		const problems = JSON.stringify(result(execution).problems);
		const reasons = [
			"'folder/guide.pdf' is encrypted",
			"'folder/scan.pdf' is a scan without text",
			"'folder/broken.pdf' is damaged",
			"'folder/half.xlsx' is damaged",
			"'folder/secret.docx' is encrypted",
			"'folder/binary.txt' is not a text",
		];
		for (const reason of reasons) {
			this.check(
				`the run says: ${reason}`,
				String(problems.includes(reason)),
				'true',
				problems,
			);
		}
		await this.sync(
			'the same files again',
			`error, unchanged ${all - 1}, unreadable 6`,
			'could not be read',
		);
		this.copy('guide.pdf', 'Delivery takes two working days');
		const others = ['scan.pdf', 'broken.pdf', 'half.xlsx', 'secret.docx', 'binary.txt'];
		for (const name of others) this.remove(name);
		await this.sync('readable again', `success, pushed 1, notIndexed 5, unchanged ${all - 1}`);
	}

	/** A subfolder that is not mounted looks like many deletes. */
	async cutOff(): Promise<void> {
		const all = this.expected.size;
		const texts = [...this.expected].filter(([name]) => name.startsWith('texts/'));
		const { length } = texts;
		const hidden = `${this.server.folder}-hidden`;
		renameSync(path.join(this.server.folder, 'texts'), hidden);
		const counts = `missing ${length}, unchanged ${all - length}, withheld ${length}`;
		await this.plan('of a list that is cut off', counts);
		await this.sync(
			'a list that is cut off',
			`error, unchanged ${all - length}, withheld ${length}`,
			`${length} of ${all} documents would be deleted`,
		);
		for (const [name] of texts) this.expected.delete(name);
		await this.sync(
			'the deletes, approved',
			`success, deleted ${length}, unchanged ${all - length}`,
			'',
			BY_HAND,
		);
		cpSync(hidden, path.join(this.server.folder, 'texts'), {
			recursive: true,
			preserveTimestamps: true,
		});
		for (const [name, text] of texts) this.expected.set(name, text);
		await this.sync('all again', `success, pushed ${length}, unchanged ${all - length}`);
		rmSync(hidden, { recursive: true });
	}

	async noFolder(): Promise<void> {
		const all = this.expected.size;
		const hidden = `${this.server.folder}-hidden`;
		renameSync(this.server.folder, hidden);
		mkdirSync(this.server.folder);
		await this.sync('an empty folder', `error, withheld ${all}`, 'would be deleted');
		writeFileSync(path.join(this.server.folder, 'only.doc'), '');
		await this.sync('only other files', `error, withheld ${all}`, 'would be deleted');
		rmSync(this.server.folder, { recursive: true });
		await this.sync('no folder', 'error', 'No such file');
		renameSync(hidden, this.server.folder);
		await this.sync('the folder again', `success, unchanged ${all}`);
	}

	/** The server cannot be reached, for the list or only for the downloads. */
	async unreachable(): Promise<void> {
		const all = this.expected.size;
		const start = await this.server.stop();
		await this.sync('no server', 'error', 'ECONNREFUSED');
		await start();
		const { data, type } = sftpCredential(this.server);
		const name = 'Closed SFTP';
		const closed = { name, type, data: { ...data, port: await freePort() } };
		const id = await this.stage.n8n.api.saveCredential(closed);
		const nodes = this.workflow.nodes.map((node) =>
			node.name === 'Download' ? { ...node, credentials: { sftp: { id, name } } } : node,
		);
		const before = [1, 2].map((number) => this.expected.get(`texts/${number}.txt`) ?? '');
		this.text(1, 'One has other words.');
		this.text(2, 'Two has other words.');
		for (const at of [0, 1]) this.expected.set(`texts/${at + 1}.txt`, before[at]);
		await this.replace({ ...this.workflow, nodes });
		await this.sync(
			'no server for the downloads',
			`error, unchanged ${all - 2}, unreadable 2`,
			'refused the connection',
		);
		await this.replace(this.workflow);
		this.expected.set('texts/1.txt', 'One has other words.');
		this.expected.set('texts/2.txt', 'Two has other words.');
		await this.sync('the server again', `success, pushed 2, unchanged ${all - 2}`);
	}

	private async replace(workflow: Workflow): Promise<void> {
		const { api } = this.stage.n8n;
		await api.activate(await api.saveWorkflow(workflow, this.id));
	}

	async signInPage(): Promise<void> {
		const all = this.expected.size;
		const numbers = [11, 12, 13, 14];
		const before = new Map(this.expected);
		for (const number of numbers) this.text(number, 'Please sign in.');
		for (const [name, text] of before) this.expected.set(name, text);
		await this.sync(
			'one text in place of different ones',
			`error, unchanged ${all - 4}, unreadable 4`,
			'sign-in page',
		);
		for (const number of numbers) this.text(number);
		await this.sync('the texts again', `success, pushed 4, unchanged ${all - 4}`);
	}

	/** Of two runs at once, one works and the other one is refused. */
	async twice(): Promise<void> {
		const all = this.expected.size;
		for (const number of [3, 4, 5]) this.text(number, `Twice ${number}.`);
		const { counts, refusal } = await startTwo(this.stage, async () => await this.start());
		this.check('two at once', counts, `error; success, pushed 3, unchanged ${all - 3}`);
		this.check('the second run says why', refusal, 'another run has not ended');
		this.checkIndex('two at once');
	}

	/** A run that is killed while it pushes. Meanwhile, the folder changes. */
	async killed(): Promise<void> {
		for (let number = 10; number <= TEXTS; number++) this.text(number, `Killed ${number}.`);
		const { message = '' } = await killInTheMiddle(this.stage, async () => await this.start());
		this.check(
			'while the killed run has the lock, nothing changes',
			/Its lock expires at/.exec(message)?.[0] ?? message,
			'Its lock expires at',
		);
		await deleteLock(this.stage, this.id);
		this.text(12, 'Changed after the kill.');
		this.remove('texts/13.txt');
		const execution = await this.start();
		const pushed = Number(result(execution).pushed);
		this.check(
			'after a kill, the run succeeds',
			execution.status,
			'success',
			execution.message,
		);
		this.check(
			'after a kill, the run goes on',
			String(pushed > 0 && pushed < TEXTS - 10),
			'true',
			String(pushed),
		);
		this.checkIndex('a kill');
		await this.sync('after that', `success, unchanged ${this.expected.size}`);
	}

	private async plan(when: string, counts: string): Promise<Record<string, unknown>> {
		return await checkPlan(this.stage, { id: this.id, name: EXAMPLE }, when, counts);
	}

	/** Runs the sync once, and checks its counts, its error and the index. */
	private async sync(
		after: string,
		counts: string,
		why = '',
		trigger = BY_TIME,
	): Promise<Execution> {
		const execution = await this.start(trigger);
		const seen = counted(execution);
		const { message = '' } = execution;
		this.stage.checks.add(
			`${EXAMPLE}, ${after}: ${counts}`,
			seen === counts && message.includes(why),
			`${seen}; ${message}`,
		);
		this.checkIndex(after);
		return execution;
	}

	private async start(trigger = BY_TIME): Promise<Execution> {
		return await this.stage.n8n.api.runManually(this.id, trigger);
	}

	private checkIndex(after: string): void {
		const files = this.documents().map(({ parentId }) => String(parentId).slice(PREFIX.length));
		const wrong = [...this.expected].filter(
			([name, text]) => !this.textOf(name).includes(text),
		);
		const strange = files.filter((name) => !this.expected.has(name));
		this.check(
			`the index equals the folder after ${after}`,
			`${wrong.length} wrong, ${strange.length} strange`,
			'0 wrong, 0 strange',
			JSON.stringify([wrong.slice(0, 3), strange.slice(0, 3)]),
		);
	}

	private documents(): Array<Record<string, unknown>> {
		const { sandbox } = this.stage;
		return sandbox.documents(DEMO.endpoint).filter(({ id }) => String(id).startsWith(PREFIX));
	}

	private chunksOf(name: string): Array<Record<string, unknown>> {
		return this.documents()
			.filter(({ parentId }) => parentId === PREFIX + name)
			.sort((one, other) => numberOf(one) - numberOf(other));
	}

	private textOf(name: string): string {
		return this.chunksOf(name)
			.map(({ text }) => String(text))
			.join(' ');
	}

	private pagesOf(name: string): string {
		return this.chunksOf(name)
			.map(({ page, pageEnd }) => `${String(page)}-${String(pageEnd)}`)
			.join(', ');
	}

	private text(number: number, text = `Text ${number}. It is about ${number}.`): void {
		this.write(`texts/${number}.txt`, text, text);
	}

	private copy(name: string, text: string): void {
		this.put(name, name);
		this.expected.set(name, text);
	}

	private put(name: string, fixture: string): void {
		copyFileSync(path.join(FIXTURES, fixture), path.join(this.server.folder, name));
		this.touch(name);
	}

	/** Writes a file that has been at rest for a while. `text` is what the index must contain of it. */
	private write(name: string, content: string | Buffer, text?: string): void {
		const file = path.join(this.server.folder, name);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, content);
		this.touch(name);
		if (text !== undefined) this.expected.set(name, text);
	}

	/** By default, each file gets a time of its own, at least an hour ago. */
	private touch(name: string, time = Date.now() - 36_000_000 + this.minutes++ * 60_000): void {
		utimesSync(path.join(this.server.folder, name), time / 1000, time / 1000);
	}

	private remove(name: string): void {
		rmSync(path.join(this.server.folder, name));
		this.expected.delete(name);
	}

	private check(what: string, seen: string, expected: string, more = ''): void {
		this.stage.checks.add(`${EXAMPLE}: ${what}`, seen === expected, `${seen} ${more}`);
	}
}

const numberOf = ({ id }: Record<string, unknown>): number => Number(String(id).split('#').pop());
