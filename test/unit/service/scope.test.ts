import {
	DEFAULT_SCOPE,
	scopeOf,
	scopeProperties,
	SCOPES,
} from '../../../nodes/shared/service/tokens/scope';

test.each([
	['a scope of the list', { scope: 'merchandising.rules' }, 'merchandising.rules'],
	['a custom scope', { scope: 'custom', customScope: ' a b ' }, 'a b'],
	['a custom scope that is not filled in', { scope: 'custom' }, ''],
	['an expression without a result', { scope: undefined }, DEFAULT_SCOPE],
	['a custom scope that nobody chose', { scope: 'a', customScope: 'b' }, 'a'],
	['no text', { scope: 'custom', customScope: 7 }, DEFAULT_SCOPE],
])('the scope of %s', (_case, fields, scope) => {
	expect(scopeOf(fields)).toBe(scope);
});

test('a user chooses from the scopes of the service, or enters others', () => {
	const [scope, customScope] = scopeProperties('What for');
	expect(scope).toMatchObject({ name: 'scope', type: 'options', description: 'What for' });
	expect(scope.options?.map((option) => 'value' in option && option.value)).toEqual([
		'custom',
		...SCOPES.map(({ value }) => value),
	]);
	expect(scope.default).toBe('machinelearning.predict');
	for (const { value, description } of SCOPES) expect(description).toContain(`(${value})`);
	const standIns = SCOPES.filter(({ value }) => value.startsWith('merchandising.'));
	expect(standIns).toHaveLength(2);
	for (const { name, description } of standIns) {
		expect(name).toMatch(/\(Name May Differ\)$/);
		expect(description).toMatch(/another name for this scope, use 'Custom'\.$/);
	}
	expect(customScope).toMatchObject({
		name: 'customScope',
		type: 'string',
		default: '',
		displayOptions: { show: { scope: ['custom'] } },
	});
	expect(customScope.required).toBeUndefined();
});
