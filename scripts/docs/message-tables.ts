/** Tables of error messages with what to do, read from the source code and from what it returns. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import { transportFailure } from '../../nodes/shared/http/transport-failure';
import {
	AI_SERVICE,
	BLOB_SERVICE,
	PUSH_SERVICE,
	statusAdvice,
} from '../../nodes/shared/service/services';
import { allProperties, labelsOf, withLabels } from './property-tables';

/** What makes an error: its message comes first, then what to do or an object with it. */
const MAKERS = new Set(['InputError', 'ServiceFailure', 'failure', 'refusal']);

/** A message, and what to do. */
type Row = [message: string, advice: string];

/**
 * The messages that are written in files, each with its advice; those without advice need no action.
 *
 * @param text of a source file
 * @returns with `…` for what is only known at run time
 */
export function messagesIn(text: string): Row[] {
	const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
	const rows: Row[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
			const [message, advice] = node.arguments ?? [];
			if (MAKERS.has(node.expression.getText()) && message && advice) {
				const row = [message, advice].map((each) => textOf(each) ?? '');
				if (row.every(saysSomething)) rows.push(row as Row);
			}
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return rows;
}

/** Whether more of a text is known than a word. */
const saysSomething = (text: string): boolean => (text.match(/[\w/]{2,}/g) ?? []).length > 1;

/** What an expression says, as far as the file tells it; undefined if that is nothing. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		const spans = node.templateSpans.map(
			({ expression, literal }) => `${constantOf(expression)}${literal.text}`,
		);
		return [node.head.text, ...spans].join('').replace(/…+/g, '…');
	}
	if (ts.isConditionalExpression(node)) {
		return [textOf(node.whenTrue), textOf(node.whenFalse)].filter(Boolean).join(' Or: ');
	}
	if (ts.isObjectLiteralExpression(node)) {
		const description = node.properties.find((each) => each.name?.getText() === 'description');
		if (description === undefined) return undefined;
		return ts.isPropertyAssignment(description)
			? textOf(description.initializer)
			: textOfName('description', node);
	}
	return ts.isIdentifier(node) ? textOfName(node.text, node) : undefined;
}

/** A constant of the file within a longer text; `…` for anything else. */
const constantOf = (node: ts.Expression): string =>
	(ts.isIdentifier(node) && /^[A-Z_]+$/.test(node.text) && textOfName(node.text, node)) || '…';

/** The text that a constant has where it is used, or a parameter unless it is given. */
function textOfName(name: string, at: ts.Node): string | undefined {
	for (let scope = at.parent; scope !== undefined; scope = scope.parent) {
		const declared = declarationsIn(scope).find((each) => each.name.getText() === name);
		if (declared) return declared.initializer && textOf(declared.initializer);
	}
	return undefined;
}

/** The parameters of a function, or the constants of a block or a file. */
function declarationsIn(
	scope: ts.Node,
): ReadonlyArray<ts.ParameterDeclaration | ts.VariableDeclaration> {
	if (ts.isFunctionLike(scope)) return scope.parameters;
	if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) return [];
	return scope.statements
		.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) => declarationList.declarations);
}

/** The files of a folder, or the file itself. */
function filesIn(place: string): string[] {
	if (statSync(place).isFile()) return [place];
	return readdirSync(place)
		.sort()
		.flatMap((name) => filesIn(path.join(place, name)))
		.filter((file) => file.endsWith('.ts'));
}

/** Messages that say themselves what to fill in: the page explains them once, above its tables. */
const EXPLAINED_ONCE = [
	/^(An entry of )?'[^'…]+' (is|has|must|names) /,
	/^'…' (is (empty|not )|has |must )/,
	/^The (field|file) \S+ is (an )?empty/,
	/^The (record|document) is not a JSON object$/,
];
/** Where to find what the service returned, which the page says once as well. */
const WHERE_RESPONSE = / ?What it returned is in the field 'response'( of the first item)?\./g;

/** What to do, as tables have it. */
export const adviceIn = (description: string): string =>
	description.replace(WHERE_RESPONSE, '').trim();

/**
 * The rows that a reader needs.
 *
 * @returns without messages that the page explains once, or after which there is nothing to do
 */
export const neededRows = (rows: Row[]): Row[] =>
	rows
		.filter(([message]) => !EXPLAINED_ONCE.some((each) => each.test(message)))
		.map(([message, advice]): Row => [message, adviceIn(advice)])
		.filter(([, advice]) => advice !== '');

/** All messages in files and folders. */
export const messagesOf = (files: string[]): Row[] =>
	files.flatMap(filesIn).flatMap((file) => messagesIn(readFileSync(file, 'utf8')));

/**
 * The table of the messages in files.
 *
 * @param places files and folders, separated by spaces; those after `except` are left out
 */
export async function messageTable(root: string, places: string): Promise<string> {
	const [included, excluded = ''] = places.split(' except ');
	const all = (list: string) =>
		list
			.split(/\s+/)
			.filter(Boolean)
			.flatMap((place) => filesIn(path.join(root, place)));
	const left = new Set(all(excluded));
	const rows = all(included)
		.filter((file) => !left.has(file))
		.flatMap((file) => messagesIn(readFileSync(file, 'utf8')));
	return await table('Message', together(neededRows(rows)));
}

/** Rows with the same advice, or the same message, as one. */
function together(rows: Row[]): Row[] {
	const byMessage = new Map<string, Set<string>>();
	for (const [message, advice] of rows) {
		byMessage.set(message, (byMessage.get(message) ?? new Set()).add(advice));
	}
	const byAdvice = new Map<string, string[]>();
	for (const [message, advices] of byMessage) {
		const advice = [...advices].join(' Or: ');
		byAdvice.set(advice, [...(byAdvice.get(advice) ?? []), `\`${sentence(message)}\``]);
	}
	return [...byAdvice].map(([advice, messages]) => [messages.join(', '), advice]);
}

/** A name such as n8n stays as it is. */
const sentence = (text: string): string =>
	/^[a-z]+\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;

async function table(head: string, rows: Row[]): Promise<string> {
	const labels = labelsOf(await allProperties());
	return [[head, 'What to do'], ['---', '---'], ...rows]
		.map(([message, advice]) => [message, withLabels(advice.replace(/\.$/, ''), labels)])
		.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');
}

const SERVICES = [AI_SERVICE, PUSH_SERVICE, BLOB_SERVICE];

/** Statuses that have advice of their own, and how a reader finds them. */
const STATUSES: Array<[label: string, status: number]> = [
	['301, 302 and other 3xx', 302],
	['400, 422', 400],
	['401', 401],
	['403', 403],
	['404', 404],
	['413', 413],
	['429', 429],
	['408, 5xx', 500],
	['501, 505', 501],
];

/** The table of statuses. */
export async function statusTable(): Promise<string> {
	const context = { isTest: false, scope: '…' };
	const rows = STATUSES.map(([label, status]): Row => {
		const advices = new Map<string, string[]>();
		for (const service of SERVICES) {
			const advice = statusAdvice(status, service, context).replaceAll(
				`'${service.urlLabel}'`,
				'the URL',
			);
			advices.set(advice, [...(advices.get(advice) ?? []), service.name.replace('the ', '')]);
		}
		const [first = ''] = advices.keys();
		if (advices.size === 1) return [label, first];
		const each = [...advices].map(
			([advice, names]) => `${sentence(names.join(', '))}: ${advice.replace(/\.$/, '')}`,
		);
		return [label, each.join('. ')];
	});
	return await table('Status', rows);
}

/** How connections fail: the code, where known the system call, and the beginning of the URL. */
const CONNECTIONS: Array<Partial<Record<'code' | 'syscall' | 'url' | 'name', string>>> = [
	{ code: 'ECONNREFUSED', syscall: 'connect' },
	{ code: 'ENOTFOUND', syscall: 'getaddrinfo' },
	{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
	{ code: 'ETIMEDOUT', syscall: 'connect' },
	{ code: 'EHOSTUNREACH', syscall: 'connect' },
	{ code: 'EPROTO', syscall: 'connect', url: 'https:' },
	{ code: 'CERT_HAS_EXPIRED', syscall: 'connect' },
	{ code: 'CERT_NOT_YET_VALID', syscall: 'connect' },
	{ code: 'ERR_TLS_CERT_ALTNAME_INVALID', syscall: 'connect' },
	{ code: 'SELF_SIGNED_CERT_IN_CHAIN', syscall: 'connect' },
	{ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
	{ name: 'SsrfBlockedError' },
	{ code: 'ECONNRESET', url: 'http:' },
	{ code: 'EPIPE' },
	{ code: 'Z_DATA_ERROR' },
];

/** The table of connections that fail. */
export async function connectionTable(): Promise<string> {
	const rows = CONNECTIONS.map(({ url, ...error }): Row => {
		const how = url === undefined ? {} : { url };
		const { message, description = '' } = transportFailure(
			Object.assign(new Error(''), error),
			PUSH_SERVICE,
			how,
		);
		return [message, description.replace(/ \(code \w+\)/, '')];
	});
	const slow = transportFailure(undefined, PUSH_SERVICE, { timedOutMs: 60_000 });
	rows.push([slow.message.replace('60', '…'), slow.description ?? '']);
	return await table('Message', together(rows));
}
