import { readFileSync } from 'node:fs';
import path from 'node:path';

import { DEMO } from '../../sandbox';
import type { Execution } from '../n8n/execution';
import type { WorkflowNode } from '../n8n/workflow';
import type { GoogleDrive, StoredFile } from '../service/google-drive';
import { startGoogleDrive } from '../service/google-drive';
import type { Cases } from './runs';
import { BY_TIME, counted, readExample, result } from './runs';
import type { SourcesStage } from './stage';

const EXAMPLE = 'sync-from-google-drive';
const ROOT = 'handbook';
const FIXTURES = path.join(__dirname, 'files');
const GOOGLE = 'application/vnd.google-apps.';

/** Runs n8n's own Google Drive node against a stand-in for Google Drive. */
export const driveCases = (): Cases => ({
	changes: async (stage) => await (await DriveCases.start(stage)).changes(),
});

class DriveCases {
	/** Each file with a part of the text that the index must contain of it. */
	private readonly expected = new Map<string, string>();

	private constructor(
		private readonly stage: SourcesStage,
		private readonly drive: GoogleDrive,
		private readonly id: string,
	) {}

	static async start(stage: SourcesStage): Promise<DriveCases> {
		const drive = await startGoogleDrive(stage.command);
		await stage.kill();
		await stage.restart(drive.settings);
		const name = 'Demo Service Account';
		const credential = await stage.n8n.api.saveCredential({
			...{ name, type: 'googleApi' },
			data: { email: 'n8n@example.com', privateKey: drive.privateKey },
		});
		// A service account gets its token in another way in HTTP Request nodes.
		const token = await stage.n8n.api.saveCredential({
			...{ name: 'Demo Token', type: 'httpHeaderAuth' },
			data: { name: 'Authorization', value: 'Bearer a' },
		});
		const workflow = readExample(EXAMPLE);
		const id = await stage.publish(workflow);
		const withAccount = workflow.nodes.map((node) => {
			if (node.type === 'n8n-nodes-base.httpRequest') return withToken(node, token);
			if (node.type !== 'n8n-nodes-base.googleDrive') return withFolder(node);
			const parameters = { ...node.parameters, authentication: 'serviceAccount' };
			return { ...node, parameters, credentials: { googleApi: { id: credential, name } } };
		});
		const { api } = stage.n8n;
		await api.activate(await api.saveWorkflow({ ...workflow, nodes: withAccount }, id));
		return new DriveCases(stage, drive, id);
	}

	async changes(): Promise<void> {
		const { files } = this.drive;
		const folder = (name: string, parent: string) =>
			files.set(name, { name, parent, mimeType: `${GOOGLE}folder` });
		folder(ROOT, 'root');
		folder('sub', ROOT);
		folder('sub sub', 'sub');
		folder('elsewhere', 'root');
		const guide = readFileSync(path.join(FIXTURES, 'guide.pdf'));
		this.put('1', file('guide.pdf', 'application/pdf', ROOT, guide), 'Money is refunded');
		this.put('2', file('Notes', `${GOOGLE}document`, 'sub', '# Notes'), '# Notes');
		this.put('3', file('Prices', `${GOOGLE}spreadsheet`, 'sub sub', 'A,B\n1,2'), 'A: 1; B: 2');
		this.put('4', file('a.txt', 'text/plain', 'sub', 'Words'), 'Words');
		this.put('5', file('b.txt', 'text/plain', 'sub', 'More words'), 'More words');
		this.put('6', file('Old.docx', 'application/msword', 'sub', 'x'));
		this.put('7', file('Form', `${GOOGLE}form`, ROOT, ''));
		this.put('8', file('elsewhere.txt', 'text/plain', 'elsewhere', 'Not ours'));

		const first = await this.sync('a first load', 'success, pushed 5');
		this.check(
			'other files are counted',
			JSON.stringify(
				Object.entries(Object(result(first).skipped))
					.map(String)
					.sort(),
			),
			'["Google form,1","docx,1"]',
		);
		const [chunk] = this.chunksOf('1');
		this.check(
			'a chunk has the name, the link and the page of its file',
			[chunk.name, chunk.url, chunk.page].map(String).join(),
			'guide.pdf,https://drive.example/1,1',
		);
		const before = this.downloads();
		await this.sync('nothing changed', 'success, unchanged 5');
		this.check('nothing is downloaded', String(this.downloads() - before), '0');
		this.drive.edit('2', '# Other notes');
		this.drive.edit('4', 'Other words');
		this.expected.set('2', '# Other notes').set('4', 'Other words');
		await this.sync('two changed', 'success, pushed 2, unchanged 3');
		files.set('5', { ...files.get('5')!, name: 'renamed.txt', parent: ROOT });
		await this.sync('one renamed and moved', 'success, pushed 1, unchanged 4');

		files.set('1', {
			...files.get('1')!,
			content: readFileSync(path.join(FIXTURES, 'scan.pdf')),
		});
		await this.sync('one unreadable', 'error, unchanged 4, unreadable 1', "'1' is a scan");
		const downloaded = this.downloads();
		await this.sync('still unreadable', 'error, unchanged 4, unreadable 1', "'1' is a scan");
		this.check('it is not downloaded again', String(this.downloads() - downloaded), '0');
		files.set('1', { ...files.get('1')!, content: guide });
		await this.sync('readable again', 'success, pushed 1, unchanged 4');

		files.set('4', { ...files.get('4')!, isUnlisted: true });
		const short = 'error, unchanged 4, unreadable 1';
		await this.sync(
			'a list that is not complete',
			short,
			"'4' could not be read: is in the folder",
		);
		files.set('4', { ...files.get('4')!, isUnlisted: false });
		await this.sync('the whole list', 'success, unchanged 5');

		this.put('9', file('c.md', 'application/octet-stream', ROOT, '# C'), '# C');
		await this.sync('one of an unknown type', 'success, pushed 1, unchanged 5');
		files.set('9', { ...files.get('9')!, parent: 'elsewhere' });
		this.expected.delete('9');
		await this.sync('one moved elsewhere', 'success, deleted 1, unchanged 5');

		files.set('3', { ...files.get('3')!, isTrashed: true });
		this.expected.delete('3');
		await this.sync('one in the trash', 'success, deleted 1, unchanged 4');
	}

	private downloads(): number {
		return this.drive.requests.filter((one) => /alt=media|\/export/.test(one)).length;
	}

	private put(id: string, stored: StoredFile, text?: string): void {
		this.drive.files.set(id, stored);
		if (text !== undefined) this.expected.set(id, text);
	}

	private async sync(after: string, counts: string, why = ''): Promise<Execution> {
		const execution = await this.stage.n8n.api.runManually(this.id, BY_TIME);
		const seen = counted(execution);
		const { message = '' } = execution;
		this.stage.checks.add(
			`${EXAMPLE}, ${after}: ${counts}`,
			seen === counts && message.includes(why),
			`${seen}; ${message}`,
		);
		const wrong = [...this.expected].filter(([id, text]) => {
			const whole = this.chunksOf(id).map((chunk) => String(chunk.text));
			return !whole.join(' ').includes(text);
		});
		const strange = [...this.drive.files.keys()].filter(
			(id) => !this.expected.has(id) && this.chunksOf(id).length > 0,
		);
		this.check(
			`the index equals the folder after ${after}`,
			JSON.stringify([wrong, strange]),
			'[[],[]]',
		);
		return execution;
	}

	private chunksOf(file: string): Array<Record<string, unknown>> {
		const documents = this.stage.sandbox.documents(DEMO.endpoint);
		return documents.filter(({ parentId }) => parentId === file);
	}

	private check(what: string, seen: string, expected: string): void {
		this.stage.checks.add(`${EXAMPLE}: ${what}`, seen === expected, seen);
	}
}

const file = (
	name: string,
	mimeType: string,
	parent: string,
	content: string | Buffer,
): StoredFile => ({ name, mimeType, parent, content });

function withToken(node: WorkflowNode, id: string): WorkflowNode {
	const authentication = {
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
	};
	const credentials = { httpHeaderAuth: { id, name: 'Demo Token' } };
	return { ...node, parameters: { ...node.parameters, ...authentication }, credentials };
}

/** Enters the folder in Settings. */
function withFolder(node: WorkflowNode): WorkflowNode {
	if (node.name !== 'Settings') return node;
	const text = JSON.stringify(node).replace('"value":""', `"value":"${ROOT}"`);
	return JSON.parse(text) as WorkflowNode;
}
