import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { CsvReader } from '../../nodes/shared/formats/csv-reader';
import { JsonReader } from '../../nodes/shared/formats/json-reader';
import { jsonLinesReader, textLinesReader } from '../../nodes/shared/formats/line-reader';
import { detach, type RecordReader } from '../../nodes/shared/formats/record';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const PIECE = 500_000;

const idOf = (value: unknown): string =>
	typeof value === 'string' ? value : (value as { id: string }).id;

test.each<[string, () => RecordReader, (id: string, padding: string) => string]>([
	['JSON Lines', jsonLinesReader, (id, padding) => `{"id":"${id}"}\n{"id":"${padding}"}\n`],
	['JSON array', () => new JsonReader(), (id, padding) => `{"id":"${id}"},\n"${padding}",`],
	['CSV', () => new CsvReader({ delimiter: ',' }), (id, padding) => `${id},x\n${padding},x\n`],
	['lines', textLinesReader, (id, padding) => `${id}\n${padding}\n`],
])(
	'a detached value of a record of %s does not keep the rest of the file in memory',
	(name, create, write) => {
		const reader = create();
		const kept: unknown[] = [];
		const start = name === 'CSV' ? 'id,b\n' : name === 'JSON array' ? '[' : '';
		for (const record of reader.push(start)) kept.push(record);
		collectGarbage();
		const before = process.memoryUsage().heapUsed;
		for (let index = 0; index < 100; index++) {
			const piece = write(`a-long-id-of-a-document-${index}`, 'x'.repeat(PIECE));
			// In real runs, the text comes from a decoder. `toString` is used here because it also returns one flat
			// string. A substring of a flat string keeps the whole string in memory.
			for (const { value, text } of reader.push(Buffer.from(piece).toString())) {
				if (text.length > 1000) continue;
				// Parsing JSON creates new strings, which do not keep the piece in memory.
				const id = name.startsWith('JSON') ? value : detach(idOf(value));
				kept.push(id, detach(text));
			}
		}
		collectGarbage();
		expect(kept).toHaveLength(200);
		expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * PIECE);
	},
);
