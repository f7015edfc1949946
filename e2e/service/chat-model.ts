import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const HELP =
	'This is the stand-in for a chat model that the demo uses. It understands nothing: choose your own model in the node Chat Model.';

export interface ToolCall {
	tool: string;
	values: Record<string, unknown>;
}

interface Message {
	role: string;
	content?: unknown;
}

export interface ChatRequest {
	messages: Message[];
	tools?: Array<{
		function: { name: string; description: string; parameters: { properties: object } };
	}>;
}

export interface ChatModel {
	url: string;
	requests: ChatRequest[];
	close(): Promise<void>;
}

/**
 * Starts a stand-in for a chat model. The stand-in has OpenAI's interface. The user's message lists tool calls as JSON
 * (`ToolCall[]`). The model makes these calls one after the other, then replies 'Done'.
 */
export async function startChatModel(): Promise<ChatModel> {
	const requests: ChatRequest[] = [];
	const server = createServer((request, response) => {
		void (async () => {
			const chat = (await readJson(request)) as ChatRequest;
			requests.push(chat);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(completionOf(nextMessage(chat))));
		})();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		requests,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function readJson(request: IncomingMessage): Promise<unknown> {
	let text = '';
	for await (const piece of request.setEncoding('utf8')) text += String(piece);
	return JSON.parse(text);
}

function nextMessage({ messages }: ChatRequest): object {
	const asked = messages.filter(({ role }) => role === 'user').at(-1);
	const calls = callsIn(asked?.content);
	const answered = messages.filter(({ role }) => role === 'tool').length;
	const call = calls?.[answered];
	if (call === undefined) return { role: 'assistant', content: calls ? 'Done' : HELP };
	const { tool, values } = call;
	return {
		role: 'assistant',
		content: null,
		tool_calls: [
			{
				id: `call-${answered + 1}`,
				type: 'function',
				function: { name: tool, arguments: JSON.stringify(values) },
			},
		],
	};
}

function callsIn(content: unknown): ToolCall[] | undefined {
	try {
		const parsed: unknown = JSON.parse(String(content));
		return Array.isArray(parsed) ? (parsed as ToolCall[]) : undefined;
	} catch {
		return undefined;
	}
}

const completionOf = (message: object) => ({
	id: 'chat-1',
	object: 'chat.completion',
	created: 0,
	model: 'stand-in',
	choices: [
		{
			index: 0,
			message,
			finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop',
		},
	],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
