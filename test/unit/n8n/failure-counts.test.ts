import { FailureCounts } from '../../../nodes/shared/n8n/run/failure-counts';
import { RecordError } from '../../../nodes/shared/records/record';

test('counts what failed for the same reason together, the most frequent first', () => {
	const counts = new FailureCounts();
	counts.add(new Error("The status of document 'a' is 400"), 'a');
	counts.add(new Error('busy'), undefined);
	counts.add(new Error("no room for the chunks of document 'b'"), 'b');
	counts.add(new Error("no room for the chunks of document 'c'"), 'c');
	counts.add('no room for the chunks', 'd');
	expect(counts.list()).toEqual([
		{ error: 'no room for the chunks', records: 3 },
		{ error: 'The status is 400', records: 1 },
		{ error: 'busy', records: 1 },
	]);
});

test('what differs from record to record does not count apart', () => {
	const counts = new FailureCounts();
	const notText = (value: string) =>
		new Error(`The field 'id' must be a string, but it is the number ${value}`);
	const tooLarge = (bytes: string) =>
		new Error(`the document has ${bytes}, more than the 5,000 that a request may have`);
	for (const value of ['1', '-2.5']) counts.add(notText(value), undefined);
	for (const bytes of ['6,001 bytes', '7,123,456 bytes', '1 byte']) {
		counts.add(tooLarge(bytes), 'a');
	}
	expect(counts.list()).toEqual([
		{ error: 'the document has more than the 5,000 that a request may have', records: 3 },
		{ error: "The field 'id' must be a string, but it is the number", records: 2 },
	]);
});

test('records that cannot be read count together, wherever they are', () => {
	const counts = new FailureCounts();
	for (const line of [3, 4, 70]) {
		counts.add(new RecordError(`Line ${line} is not JSON: x${line}`, line, line), undefined);
	}
	expect(counts.list()).toEqual([{ error: 'The record is not JSON', records: 3 }]);
});

test('tells 100 reasons apart, and counts the others as one', () => {
	const counts = new FailureCounts();
	for (let number = 0; number < 150; number++) counts.add(new Error(`no ${number}`), undefined);
	counts.add(new Error('no 7'), undefined);
	const list = counts.list();
	expect(list).toHaveLength(101);
	expect(list.slice(0, 2)).toEqual([
		{ error: 'Other errors', records: 50 },
		{ error: 'no 7', records: 2 },
	]);
});
