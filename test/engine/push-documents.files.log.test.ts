/** What long runs with files write to n8n's log. */
import { captured } from '../../support/log-capture';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode } from '../../support/engine';
import { useSandbox } from '../../support/sandbox';

const sandbox = useSandbox();
const files = useFiles();

it('get a line every 10 seconds, which says where to continue', async () => {
	sandbox().faults.add({ route: 'push', latencyMs: 11_000, skip: 2 });
	const lines = Array.from({ length: 6 }, (_, at) => `{"id":"d${at}","name":"N"}\n`);
	await runNode({
		node: new PushDocuments(),
		items: [await files.item(lines.join(''), 'corpus.jsonl')],
		parameters: { documentSource: 'file', options: { documentsPerRequest: 2 } },
		credentials: sandboxCredentials(sandbox()),
	});
	const written = captured.filter((line) => line.includes('corpus.jsonl'));
	expect(written).toHaveLength(1);
	expect(written[0]).toContain(
		"Push Documents: Of the file 'corpus.jsonl', 4 records had been pushed. Everything up to record 4 was answered: continue with Skip Records: 4 (6 records read, 0 per second, 0 retries)",
	);
}, 60_000);
