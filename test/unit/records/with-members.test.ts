/** Members of a JSON object are set in its text, which stays as it is otherwise. */
import fc from 'fast-check';

import { withMembers } from '../../../nodes/shared/records/json/with-members';

const set = (text: string, members: Record<string, string>): string =>
	withMembers(text, new Map(Object.entries(members)));

test.each([
	[
		'a number',
		'{"id": 7, "n": 12345678901234567890}',
		{ id: '"7"' },
		'{"id": "7", "n": 12345678901234567890}',
	],
	['the last member', '{"a":[1,{"id":2}],"id":7}', { id: '"7"' }, '{"a":[1,{"id":2}],"id":"7"}'],
	[
		'only at the top level',
		'{"id":{"id":1},"x":"\\"id\\":1"}',
		{ id: '"a"' },
		'{"id":"a","x":"\\"id\\":1"}',
	],
	['an escaped name', '{"\\u0069d" :\t7 }', { id: '"7"' }, '{"\\u0069d" :\t"7" }'],
	['every member with the name', '{"id":1,"id":2}', { id: '"2"' }, '{"id":"2","id":"2"}'],
	[
		'members that are new',
		'{"a": 1 }',
		{ id: '"x"', name: '"y"' },
		'{"a": 1 ,"id":"x","name":"y"}',
	],
	['members of an empty object', ' { } ', { id: '"x"' }, ' { "id":"x"} '],
	['nothing', '{"a":1}', {}, '{"a":1}'],
	[
		'a name like that of a prototype',
		'{"__proto__":1}',
		{ id: '"x"' },
		'{"__proto__":1,"id":"x"}',
	],
])('sets %s', (_case, text, members, expected) => {
	expect(set(text, members as Record<string, string>)).toBe(expected);
});

test('says what the changed object says', () => {
	const objects = fc.dictionary(fc.string(), fc.jsonValue());
	fc.assert(
		fc.property(objects, objects, fc.nat(2), (object, members, indent) => {
			const texts = new Map(
				Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]),
			);
			const changed = withMembers(JSON.stringify(object, undefined, indent), texts);
			expect(JSON.parse(changed)).toEqual(
				JSON.parse(JSON.stringify({ ...object, ...members })),
			);
		}),
	);
});
