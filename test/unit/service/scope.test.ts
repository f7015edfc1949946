import type { INodePropertyOptions } from 'n8n-workflow';

import {
	DEFAULT_SCOPE,
	scopeOf,
	scopeProperties,
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
	const options = (scope.options ?? []) as INodePropertyOptions[];
	expect(options.map(({ value }) => value)).toEqual([
		'custom',
		'commercestudio.rewrites',
		'commercestudio.rules',
		'machinelearning.model',
		'machinelearning.predict',
		'merchandising.rewrites',
		'merchandising.rules',
	]);
	expect(scope.default).toBe('machinelearning.predict');
	for (const { value, description } of options.slice(1))
		expect(description).toContain(`(${value})`);
	expect(customScope).toMatchObject({
		name: 'customScope',
		type: 'string',
		default: '',
		displayOptions: { show: { scope: ['custom'] } },
	});
	expect(customScope.required).toBeUndefined();
});
