import { jsonProblem } from '../../../nodes/shared/formats/json-problem';

test('a line and a column within a record are left out', () => {
	const message = "Expected ',' or '}' after property value in JSON at position 20";
	expect(jsonProblem(new SyntaxError(`${message} (line 1 column 21)`))).toBe(message);
	expect(jsonProblem(new SyntaxError(message))).toBe(message);
});

test('the problem of a text is the same in each version of Node.js', () => {
	let problem = '';
	try {
		JSON.parse('{"a":\n"b}');
	} catch (error) {
		problem = jsonProblem(error);
	}
	expect(problem).toMatch(
		/^(?:Unterminated string|Bad control character in string literal) in JSON at position \d+$/,
	);
});
