import type { ToolCall } from '../service/chat-model';
import type { Stage } from './stage';

const EXAMPLE = 'agent-with-search-ingest-tools';

const ADD = 'Add_or_Update_Document';
const SPLIT = 'Split_Text';
const DELETE = 'Delete_Document';

const TEXT = '# Returns\nWithin thirty days.\n# Refunds\nFive working days.';
const ID = 'agent/returns';
const FIELDS_OF_DOCUMENT = { name: 'Returns', text: TEXT, url: 'https://example.com/returns' };

/** Values that the model fills in to add the document, keyed by field name. */
const VALUES = {
	Document_ID: ID,
	Document_Name: FIELDS_OF_DOCUMENT.name,
	Document_Description: '',
	Document_URL: FIELDS_OF_DOCUMENT.url,
	Document_Text: TEXT,
};

const FIELDS = {
	[ADD]: Object.keys(VALUES),
	[DELETE]: ['Document_ID'],
	[SPLIT]: ['Text'],
};

/** Matches an embedding vector, which is useless to a model. */
const VECTOR = /\[(-?[\d.e-]+,){16}|"(i8|u8|f32|f64):/;

/**
 * Runs each tool by itself, as "Execute step" does. Then lets an agent use all tools. A stand-in takes the place of the
 * model.
 */
export async function useTools(stage: Stage): Promise<void> {
	await runTools(stage);
	await askAgent(stage);
}

const indexed = (stage: Stage) => stage.documents().find(({ id }) => id === ID);

async function runTools(stage: Stage): Promise<void> {
	const { checks } = stage;
	await stage.runTool(EXAMPLE, { tool: ADD, values: VALUES });
	const { id, ...fields } = indexed(stage) ?? {};
	checks.add(
		'The tool adds the document, without the empty description',
		id === ID && JSON.stringify(fields) === JSON.stringify(FIELDS_OF_DOCUMENT),
		JSON.stringify(fields),
	);
	const split = await stage.runTool(EXAMPLE, { tool: SPLIT, values: { Text: TEXT } });
	checks.add('The tool splits a text', /chunkIndex.*chunkIndex/.test(split), split);
	checks.add('A model gets no vectors', !VECTOR.test(split));
	const deleted = await stage.runTool(EXAMPLE, { tool: DELETE, values: { Document_ID: ID } });
	checks.add('The tool deletes the document', indexed(stage) === undefined, deleted);
}

async function askAgent(stage: Stage): Promise<void> {
	const { checks } = stage;
	const { requests } = stage.demo.chatModel;
	requests.length = 0;
	const calls: ToolCall[] = [
		{ tool: ADD, values: VALUES },
		{ tool: SPLIT, values: { Text: TEXT } },
		{ tool: DELETE, values: { Document_ID: ID } },
		{ tool: ADD, values: { ...VALUES, Document_Name: '' } },
	];
	const execution = await stage.chat(EXAMPLE, JSON.stringify(calls));
	const [answer] = execution.items('AI Agent');
	checks.add('The agent uses its tools and answers', answer?.json.output === 'Done');
	const tools = requests[0]?.tools ?? [];
	for (const [name, fields] of Object.entries(FIELDS)) {
		const tool = tools.find((one) => one.function.name === name)?.function;
		const offered = Object.keys(tool?.parameters.properties ?? {});
		checks.add(
			`The model is to fill in ${fields.join(', ')} of ${name}`,
			offered.sort().join() === fields.sort().join(),
			tool?.description,
		);
	}
	const read = (requests.at(-1)?.messages ?? [])
		.filter(({ role }) => role === 'tool')
		.map(({ content }) => String(content));
	const said = [/"pushed":true/, /"chunkIndex":1/, /"deleted":true/, /'Document Name'/];
	said.forEach((expected, at) => {
		const { tool } = calls[at];
		checks.add(
			`The model reads what ${tool} returned (call ${at + 1})`,
			expected.test(read[at] ?? ''),
			read[at],
		);
	});
	// The values are not called `id`, because n8n would replace a value of that name with the ID of the tool call.
	checks.add(
		'The model reads its own values again',
		JSON.stringify(requests.at(-1)).includes(`\\"Document_ID\\":\\"${ID}\\"`),
	);
	checks.add('The model reads no vectors', !VECTOR.test(JSON.stringify(requests)));
	checks.add('The agent deletes what it added', indexed(stage) === undefined);
}
