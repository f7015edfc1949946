import { Window } from '../../../nodes/shared/flow/window';

/** Whatever waits for nothing but promises has ended then. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/** A window, and what came of each entry that asked for room, in the order of the answers. */
function setUp(limits: { count: number; bytes: number }) {
	const window = new Window(limits);
	const admitted: string[] = [];
	const ask = (name: string, bytes: number) =>
		void window
			.admit(bytes)
			.then((isAdmitted) => admitted.push(isAdmitted ? name : `not ${name}`));
	return { window, admitted, ask };
}

test('admits entries up to the count, and the next one when one is released', async () => {
	const { window, admitted, ask } = setUp({ count: 2, bytes: 1000 });
	ask('a', 1);
	ask('b', 1);
	ask('c', 1);
	await settle();
	expect(admitted).toEqual(['a', 'b']);
	expect(window.count).toBe(2);
	window.release(1);
	await settle();
	expect(admitted).toEqual(['a', 'b', 'c']);
	expect(window.count).toBe(2);
});

test('the last entry may exceed the bytes; the next waits until they are below the limit', async () => {
	const { window, admitted, ask } = setUp({ count: 9, bytes: 10 });
	ask('a', 9);
	await settle();
	ask('b', 5);
	await settle();
	ask('c', 1);
	await settle();
	expect(admitted).toEqual(['a', 'b']);
	window.release(4);
	await settle();
	expect(admitted).toEqual(['a', 'b']);
	window.release(1);
	await settle();
	expect(admitted).toEqual(['a', 'b', 'c']);
});

test('once closed, neither who waits nor who comes later is admitted', async () => {
	const { window, admitted, ask } = setUp({ count: 1, bytes: 10 });
	ask('a', 1);
	await settle();
	ask('b', 1);
	await settle();
	window.close();
	await settle();
	window.release(1);
	ask('c', 1);
	await settle();
	expect(admitted).toEqual(['a', 'not b', 'not c']);
	expect(window.count).toBe(0);
});
