import ts from 'typescript';

/** A small change of the code that a test should notice. */
export interface Mutant {
	file: string;
	code: string;
	start: number;
	end: number;
	replacement: string;
}

const OPERATORS: Partial<Record<ts.SyntaxKind, string>> = {
	[ts.SyntaxKind.PlusToken]: '-',
	[ts.SyntaxKind.MinusToken]: '+',
	[ts.SyntaxKind.AsteriskToken]: '/',
	[ts.SyntaxKind.SlashToken]: '*',
	[ts.SyntaxKind.PercentToken]: '*',
	[ts.SyntaxKind.LessThanToken]: '<=',
	[ts.SyntaxKind.LessThanEqualsToken]: '<',
	[ts.SyntaxKind.GreaterThanToken]: '>=',
	[ts.SyntaxKind.GreaterThanEqualsToken]: '>',
	[ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
	[ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
	[ts.SyntaxKind.AmpersandAmpersandToken]: '||',
	[ts.SyntaxKind.BarBarToken]: '&&',
	[ts.SyntaxKind.QuestionQuestionToken]: '&&',
	[ts.SyntaxKind.PlusEqualsToken]: '-=',
	[ts.SyntaxKind.MinusEqualsToken]: '+=',
	[ts.SyntaxKind.QuestionQuestionEqualsToken]: '=',
	[ts.SyntaxKind.PlusPlusToken]: '--',
	[ts.SyntaxKind.MinusMinusToken]: '++',
};
const METHODS: Record<string, string> = { min: 'max', max: 'min', some: 'every', every: 'some' };

const isText = (node: ts.Expression): boolean =>
	ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const isUndefined = (node: ts.Expression): boolean =>
	ts.isIdentifier(node) && node.text === 'undefined';

/** Returns the replacements of one node, each with the part of the code that it replaces. */
function* replacementsOf(node: ts.Node): Generator<[replaced: ts.Node, replacement: string]> {
	if (ts.isBinaryExpression(node)) {
		const replacement = OPERATORS[node.operatorToken.kind];
		const isJoin = isText(node.left) || isText(node.right);
		if (replacement !== undefined && !isJoin) yield [node.operatorToken, replacement];
	}
	if (ts.isPrefixUnaryExpression(node)) {
		const { operand, operator } = node;
		const isSign = [ts.SyntaxKind.ExclamationToken, ts.SyntaxKind.MinusToken].includes(
			operator,
		);
		if (isSign) yield [node, operand.getText()];
		else yield [node, `${OPERATORS[operator] ?? ''}${operand.getText()}`];
	}
	if (ts.isPostfixUnaryExpression(node))
		yield [node, `${node.operand.getText()}${OPERATORS[node.operator] ?? ''}`];
	if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
		if (ts.isIfStatement(node)) yield [node.expression, 'true'];
		yield [node.expression, 'false'];
	}
	if (ts.isConditionalExpression(node)) {
		yield [node.condition, 'true'];
		yield [node.condition, 'false'];
	}
	if (ts.isReturnStatement(node) && node.expression && !isUndefined(node.expression))
		yield [node, 'return;'];
	if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) yield [node.body, 'undefined'];
	if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) yield [node, ';'];
	if (node.kind === ts.SyntaxKind.TrueKeyword) yield [node, 'false'];
	if (node.kind === ts.SyntaxKind.FalseKeyword) yield [node, 'true'];
	if (node.kind === ts.SyntaxKind.QuestionDotToken) {
		const isMember = ts.isPropertyAccessExpression(node.parent);
		yield [node, isMember ? '.' : ''];
	}
	if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.parent)) {
		const replacement = METHODS[node.name.text];
		if (replacement !== undefined) yield [node.name, replacement];
	}
}

/** Returns all mutants of a source file. Texts, types, imports and calls of `super` stay as they are. */
export function mutantsOf(file: string, code: string): Mutant[] {
	const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
	const mutants: Mutant[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isSuperCall(node)) return;
		for (const [replaced, replacement] of replacementsOf(node))
			mutants.push({
				...{ file, code, replacement },
				...{ start: replaced.getStart(), end: replaced.getEnd() },
			});
		node.forEachChild(visit);
	};
	visit(source);
	return mutants;
}

const isSuperCall = (node: ts.Node): boolean =>
	ts.isExpressionStatement(node) &&
	ts.isCallExpression(node.expression) &&
	node.expression.expression.kind === ts.SyntaxKind.SuperKeyword;

export const applyTo = ({ code, start, end, replacement }: Mutant): string =>
	`${code.slice(0, start)}${replacement}${code.slice(end)}`;

/** Returns what a probe puts around this node, or undefined if a probe has no place here. */
function aroundWith(probe: string, node: ts.Node): [before: string, after: string] | undefined {
	const { parent } = node;
	if (ts.isBlock(node) || ts.isSourceFile(node)) return undefined;
	if (ts.isArrowFunction(parent) && parent.body === node) return [`(${probe}, `, ')'];
	if (!ts.isStatement(node)) return undefined;
	const isBranch = ts.isIfStatement(parent) || ts.isIterationStatement(parent, false);
	return isBranch ? [`{ ${probe}; `, ' }'] : [`${probe}; `, ''];
}

/**
 * Returns the code with a probe before the smallest statement or arrow function that contains each mutant. A probe calls
 * `mutateReached` with the number of its mutant.
 */
export function withProbes(code: string, mutants: ReadonlyArray<[number, Mutant]>): string {
	const source = ts.createSourceFile('', code, ts.ScriptTarget.Latest, true);
	const inserted = mutants.flatMap(([number, { start, end }]) => {
		let places: Array<{ at: number; text: string }> = [];
		const visit = (node: ts.Node): void => {
			if (node.getStart() > start || node.getEnd() < end) return;
			const around = aroundWith(`globalThis.mutateReached?.(${number})`, node);
			if (around)
				places = [
					{ at: node.getStart(), text: around[0] },
					{ at: node.getEnd(), text: around[1] },
				];
			node.forEachChild(visit);
		};
		visit(source);
		return places;
	});
	inserted.sort((one, other) => other.at - one.at);
	return inserted.reduce((all, { at, text }) => all.slice(0, at) + text + all.slice(at), code);
}

/** Shows the changed lines as a diff. */
export function diffOf(mutant: Mutant): string {
	const { code } = mutant;
	const lineStart = code.lastIndexOf('\n', mutant.start - 1) + 1;
	const nextLine = code.indexOf('\n', mutant.end);
	const lineEnd = nextLine === -1 ? code.length : nextLine;
	const before = code.slice(lineStart, lineEnd);
	const after = applyTo(mutant).slice(
		lineStart,
		lineEnd + mutant.replacement.length - (mutant.end - mutant.start),
	);
	const line = code.slice(0, lineStart).split('\n').length;
	const marked = (mark: string, text: string) =>
		text.split('\n').map((each) => `${mark} ${each}`);
	return [`${mutant.file}:${line}`, ...marked('-', before), ...marked('+', after)].join('\n');
}
