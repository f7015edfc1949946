/** Tests the database syncs with the statements and Code nodes of the built examples, on PGlite. */
import type { PGlite } from '@electric-sql/pglite';

import type { Row, RunOptions } from './support/database-world';
import { DatabaseWorld } from './support/database-world';

let db: PGlite;
let world: DatabaseWorld;

// The first start creates a database.
beforeAll(async () => {
	db = await DatabaseWorld.start();
}, 180_000);

afterAll(async () => {
	await db.close();
});

/** A second workflow with the same IDs and keys, and a lock of its own. */
const OTHER = `
	insert into search_sync_documents (workflow, id, version, chunks, text, problem, late_until)
	select 'other', 'doc/' || n, case when n % 2 = 0 then '' else 'v' end, n, 't',
		case when n % 3 = 0 then 'is a scan' end, 900
	from generate_series(0, 40) n;
	insert into search_sync_runs (workflow, execution, started_at, locked_until) values
	('other', '7', now() - interval '1 year', null),
	('other', '8', now(), now() + interval '1 hour')`;

const otherRows = async () =>
	await world.query(`
		select to_jsonb(d) as row from search_sync_documents d where workflow = 'other' union all
		select to_jsonb(r) from search_sync_runs r where workflow = 'other' order by 1`);

/** Each case runs alone, and beside the rows of another workflow, which must stay as they are. */
function cases(isChunked: boolean, define: () => void): void {
	describe.each(['alone', 'beside another workflow'])('%s', (how) => {
		let others: Row[];

		beforeEach(async () => {
			world = await DatabaseWorld.empty(db, isChunked);
			await world.statement('Tables');
			if (how !== 'alone') await world.query(OTHER);
			others = await otherRows();
		});

		afterEach(async () => {
			expect(await otherRows()).toEqual(others);
		});

		define();
	});
}

const DOCUMENT = "json_build_object('name', 'N', 'text', p.body)";

const QUERY = `select p.id as key, 'doc/' || p.id as id, ${DOCUMENT} as document from products p`;

const products = async (count: number) =>
	await world.query(`
		create table products (id int primary key, body text);
		insert into products select n, 'T' || n from generate_series(1, ${count}) n`);

const run = async (options: Partial<RunOptions> = {}) =>
	await world.run({ query: QUERY, batchSize: 4, ...options });

/** Returns the counts that are not zero. */
const counts = ({ pushed, deleted, unchanged, failed, withheld, unreadable }: Row): Row =>
	Object.fromEntries(
		Object.entries({ pushed, deleted, unchanged, failed, withheld, unreadable }).filter(
			([, count]) => count !== 0,
		),
	);

/** What the index has of a document. */
const textOf = (id: string) => (world.index.get(id) as { text?: string } | undefined)?.text;

async function expectGreen(options: Partial<RunOptions>, expected: Row): Promise<void> {
	const result = await run(options);
	expect({ ...counts(result), error: result.error }).toEqual({ ...expected, error: '' });
}

describe('documents', () => {
	cases(false, () => {
		test('a run pushes what is new or changed, and deletes what is gone', async () => {
			await products(10);
			await expectGreen({}, { pushed: 10 });
			await expectGreen({}, { unchanged: 10 });
			await world.query(
				"update products set body = 'New' where id = 3; delete from products where id = 4",
			);
			await expectGreen({}, { pushed: 1, deleted: 1, unchanged: 8 });
			expect([textOf('doc/3'), textOf('doc/4'), world.index.size]).toEqual([
				'New',
				undefined,
				9,
			]);
			const runs = await world.query(
				"select pushed, deleted, error, ended_at is null as active from search_sync_runs where workflow = 'w' order by run",
			);
			expect(runs).toEqual([
				{ pushed: 10, deleted: 0, error: '', active: false },
				{ pushed: 0, deleted: 0, error: '', active: false },
				{ pushed: 1, deleted: 1, error: '', active: false },
			]);
		});

		test('a document has the same version as in earlier releases', async () => {
			await products(2);
			await run();
			const [{ same }] = await world.query(`
				select bool_and(k.version = md5(md5('{}') || d.document::text)) as same
				from (${QUERY}) d join search_sync_documents k on k.workflow = 'w' and k.id = d.id`);
			expect(same).toBe(true);
		});

		test('changed settings of the nodes push everything again', async () => {
			await products(2);
			await run();
			await expectGreen({ push: { fields: 'other' } }, { pushed: 2 });
			await expectGreen({ push: { fields: 'other' } }, { unchanged: 2 });
		});

		test('IDs in pushAgain are pushed, whatever they contain', async () => {
			await products(6);
			await run();
			world.index.clear();
			const settings = { pushAgain: ['doc/2', 'doc/5', '\ud83d', '\0', "it's", 7] };
			await expectGreen({ settings }, { pushed: 2, unchanged: 4 });
			expect([...world.index.keys()].sort()).toEqual(['doc/2', 'doc/5']);
		});

		test('too many deletes are withheld until they are approved', async () => {
			await products(30);
			await run();
			await world.query(
				"delete from products where id > 10; update products set body = '' where id = 1",
			);
			const withheld = await run();
			expect(counts(withheld)).toEqual({ pushed: 1, unchanged: 9, withheld: 20 });
			await expectGreen(
				{ settings: { confirmDeletes: true } },
				{ deleted: 20, unchanged: 10 },
			);
		});

		test.each([
			['no rows', 'delete from products', 'returns no rows'],
			[
				'a null key',
				'alter table products drop constraint products_pkey, alter id drop not null; insert into products values (null)',
				'1 of 4 rows',
			],
			[
				'two rows with one ID',
				'alter table products drop constraint products_pkey; insert into products values (2)',
				"the ID 'doc/2'",
			],
			['no table', 'drop table products', 'PostgreSQL cannot run the query'],
		])(
			'%s stops a run before it changes anything, and the lock is given back',
			async (_, sql, why) => {
				await products(3);
				await run();
				await world.query(sql);
				const { status, error } = await run();
				expect([status, error]).toEqual([400, expect.stringContaining(why)]);
				expect(world.index.size).toBe(3);
				const active = await world.query(
					"select from search_sync_runs where workflow = 'w' and locked_until > now()",
				);
				expect(active).toEqual([]);
			},
		);

		test('a run that finds the lock of another one changes nothing', async () => {
			await products(3);
			await world.query(
				"insert into search_sync_runs (workflow, execution, locked_until) values ('w', '0', now() + interval '9 minutes')",
			);
			const { status, error } = await run();
			expect([status, error]).toEqual([
				409,
				expect.stringContaining('another run has not ended'),
			]);
			expect(world.index.size).toBe(0);
			await world.query(
				"update search_sync_runs set locked_until = now() where workflow = 'w'",
			);
			await expectGreen({}, { pushed: 3 });
		});

		test('a run that loses its lock stops', async () => {
			await products(8);
			let batches = 0;
			const result = await run({
				meanwhile: async () => {
					batches += 1;
					if (batches === 2)
						await world.query(
							"update search_sync_runs set locked_until = now() where workflow = 'w'",
						);
				},
			});
			expect(counts(result)).toEqual({ pushed: 4, failed: 4 });
			expect(result.error).toContain('lost its lock');
			expect(world.index.size).toBe(4);
		});

		test('runs of 90 days are kept', async () => {
			await products(1);
			await world.query(`
				insert into search_sync_runs (workflow, execution, started_at) values
				('w', 'old', now() - interval '91 days'), ('w', 'kept', now() - interval '89 days')`);
			await run();
			expect(
				await world.query(
					"select execution from search_sync_runs where workflow = 'w' order by run",
				),
			).toEqual([{ execution: 'kept' }, { execution: '1' }]);
		});

		describe('what is left in the database', () => {
			test('after a run, a column may change its type', async () => {
				await products(3);
				await run();
				await world.query(
					'alter table products alter column body type varchar(99), alter column id type bigint; alter table products rename column body to content',
				);
				await expectGreen(
					{ query: QUERY.replace('p.body', 'p.content') },
					{ unchanged: 3 },
				);
			});

			test('the view of an earlier release is dropped, and no other one', async () => {
				await products(3);
				await world.query(`
					create view "search_documents_w" as ${QUERY};
					create view "search_documents_other" as ${QUERY}`);
				await run();
				expect(
					await world.query("select viewname from pg_views where schemaname = 'public'"),
				).toEqual([{ viewname: 'search_documents_other' }]);
			});
		});

		describe('rows without a document', () => {
			test.each([
				['null', 'null', 'has no document'],
				['JSON null', "'null'::jsonb", 'no JSON object, but JSON of the type null'],
				['a list', "'[1]'::jsonb", 'no JSON object, but JSON of the type array'],
				['a text', `'"T"'::jsonb`, 'no JSON object, but JSON of the type string'],
			])('%s is a problem of its row, and the others go on', async (_, document, why) => {
				await products(6);
				const odd = `case when body = 'Odd' then ${document} else to_jsonb(p) end`;
				const odder = `select id as key, 'doc/' || id as id, ${odd} as document from products p`;
				await run({ query: odder });
				const before = world.index.get('doc/2');
				await world.query(
					"update products set body = 'Odd' where id = 2; update products set body = 'B' where id = 3",
				);
				const result = await run({ query: odder });
				expect(counts(result)).toEqual({ pushed: 1, unreadable: 1, unchanged: 4 });
				expect(result.problems).toEqual([expect.stringContaining(`'doc/2' has `)]);
				expect(result.error).toContain(why);
				// It stays in the index, and it is named until it changes.
				const again = await run({ query: odder });
				expect(counts(again)).toEqual({ unreadable: 1, unchanged: 5 });
				expect(again.problems).toEqual(result.problems);
				expect(world.index.get('doc/2')).toEqual(before);
				await world.query("update products set body = 'C' where id = 2");
				await expectGreen({ query: odder }, { pushed: 1, unchanged: 5 });
			});

			test('fields of a row may be null, and a document that is null is deleted with its row', async () => {
				await products(3);
				const query = `
					select id as key, 'doc/' || id as id,
						to_jsonb(p) || jsonb_build_object('text', p.body) || p.more as document
					from products p`;
				await world.query("alter table products add more jsonb default '{}'");
				await run({ query });
				await world.query(
					'update products set more = null where id = 1; update products set body = null where id = 2',
				);
				expect(counts(await run({ query }))).toEqual({
					pushed: 1,
					unreadable: 1,
					unchanged: 1,
				});
				await world.query('delete from products where id = 1');
				await expectGreen({ query }, { deleted: 1, unchanged: 2 });
			});
		});

		describe('texts that PostgreSQL refuses', () => {
			test.each([
				['half an emoji', 'cut \ud83d'],
				['the other half', '\ude00 cut'],
				['NUL', 'a\0\0b'],
				['escapes that are texts', 'C:\\u0000\\ud83d'],
			])('%s in a message: only this document is tried again', async (_, message) => {
				await products(6);
				const refuses = (id: string) => (id === 'doc/2' ? message : '');
				const result = await run({ refuses });
				expect(counts(result)).toEqual({ pushed: 5, failed: 1 });
				await expectGreen({}, { pushed: 1, unchanged: 5 });
				const [{ error }] = await world.query(
					"select error from search_sync_runs where workflow = 'w' order by run limit 1",
				);
				expect(error).toContain(message.toWellFormed().replaceAll('\0', '\ufffd'));
			});

			test('a document may contain them', async () => {
				await products(3);
				const query = QUERY.replace("'N'", `'"\\u0000 \\ud83d"'::json`);
				await expectGreen({ query }, { pushed: 3 });
				expect(world.index.get('doc/1')).toMatchObject({ name: '\0 \ud83d' });
				await expectGreen({ query }, { unchanged: 3 });
			});
		});

		describe('a batch that finds fewer documents', () => {
			test.each([
				['random keys', '(random() * 1000000000)::int'],
				['numbers of rows in a random order', 'row_number() over (order by random())'],
			])('%s: they are named, and the run fails', async (_, key) => {
				await products(12);
				const query = QUERY.replace('p.id as key', `${key} as key`);
				const result = await run({ query });
				const { pushed = 0, unreadable = 0 } = counts(result) as Record<string, number>;
				expect([unreadable > 0, pushed + unreadable >= 12]).toEqual([true, true]);
				expect(result.problems).toContainEqual(
					expect.stringContaining('was not found again by its key'),
				);
			});

			test('a key whose text is another value', async () => {
				await products(3);
				await world.query('set extra_float_digits = -10');
				const query = QUERY.replace('p.id as key', '(p.id / 3.0)::float8 as key');
				const result = await run({ query, batchSize: 1 });
				expect(counts(result)).toEqual({ pushed: 1, unreadable: 2 });
				expect(result.error).toContain("'doc/1' was not found again by its key");
			});

			test('rows that were deleted meanwhile are no failure', async () => {
				await products(12);
				let batches = 0;
				const meanwhile = async () => {
					batches += 1;
					if (batches === 2)
						await world.query('delete from products where id in (6, 9, 10, 11, 12)');
				};
				await expectGreen({ meanwhile }, { pushed: 7 });
				expect(world.index.size).toBe(7);
			});

			test('rows that are as before again are no failure', async () => {
				await products(3);
				await run();
				await world.query("update products set body = 'Other'");
				const meanwhile = async () => {
					await world.query("update products set body = 'T' || id");
				};
				await expectGreen({ meanwhile }, {});
				await expectGreen({}, { unchanged: 3 });
			});

			test('a document that came back is not deleted', async () => {
				await products(3);
				await run();
				await world.query('delete from products where id = 2');
				const meanwhile = async () => {
					await world.query("insert into products values (2, 'T2')");
				};
				await expectGreen({ meanwhile }, { unchanged: 2 });
				expect(world.index.size).toBe(3);
			});

			test('rows that come meanwhile are pushed up to twice the size of the batch', async () => {
				await products(3);
				await world.query('update products set id = id * 100');
				const meanwhile = async () => {
					await world.query(
						"insert into products select n, 'New' from generate_series(101, 150) n",
					);
				};
				const result = await run({ meanwhile });
				expect([result.error, world.index.size]).toEqual(['', 6]);
				await expectGreen({}, { pushed: 47, unchanged: 6 });
			});

			test('several rows may have one key', async () => {
				await products(10);
				const query = QUERY.replace('p.id as key', 'p.id / 6 as key');
				const result = await run({ query });
				expect([result.error, world.index.size]).toEqual(['', 10]);
				await expectGreen({ query }, { unchanged: 10 });
			});
		});

		describe('keys and IDs', () => {
			test.each([
				['bigint', '9007199254740993 + n'],
				['numeric', 'n / 7.0'],
				['float8', 'n / 7.0'],
				['real', 'n / 7.0'],
				['text', `'it''s "' || n || '", {{ n }} \\ $1 %'`],
				['varchar(20)', "'v' || n"],
				['char(10)', "'c' || n"],
				['citext_like', "'C' || n"],
				['uuid', 'md5(n::text)::uuid'],
				[
					'timestamptz',
					"timestamptz '2026-03-29 00:00:00.123456Z' + n * interval '1 hour'",
				],
				['date', "date '2026-03-01' + n"],
				['interval', "n * interval '40 days 1 second'"],
				['bytea', "decode(lpad(to_hex(n), 4, '0'), 'hex')"],
				[
					'mood',
					"(array['sad', 'it''s ok', 'happy', 'a', 'b', 'c', 'd', 'e', 'f'])[n]::mood",
				],
				['positive', 'n'],
				['inet', "('10.0.0.' || n)::inet"],
				['bigint[]', 'array[n % 3, n]'],
				['text[]', `array['a,"}' || n % 3, 'x' || n, '']`],
			])('a key of the type %s', async (type, value) => {
				await world.query(`
					create domain citext_like as text; create domain positive as int check (value > 0);
					create type mood as enum ('sad', 'it''s ok', 'happy', 'a', 'b', 'c', 'd', 'e', 'f');
					create table typed as select n, (${value})::${type} as id from generate_series(1, 9) n`);
				const query = `select t.id as key, t.id as id, json_build_object('id', n) as document from typed t`;
				await expectGreen({ query }, { pushed: 9 });
				await expectGreen({ query }, { unchanged: 9 });
				const [{ ids }] = await world.query('select json_agg(id::text) as ids from typed');
				expect([...world.index.keys()].sort()).toEqual((ids as string[]).sort());
			});

			test('a key of two columns is a reason', async () => {
				await products(2);
				const query = QUERY.replace('p.id as key', '(p.id, p.body) as key');
				const { error } = await run({ query });
				expect(error).toContain("'key' in 'Your Query' is a row");
				expect(world.index.size).toBe(0);
			});

			test('char(10) has no spaces at its end', async () => {
				await world.query("create table padded as select 'T1'::char(10) as id");
				const query =
					"select id as key, id, json_build_object('text', 'T') as document from padded";
				await expectGreen({ query }, { pushed: 1 });
				await expectGreen({ query }, { unchanged: 1 });
				expect([...world.index.keys()]).toEqual(['T1']);
			});
		});

		describe('the text of the query', () => {
			const end = (text: string) => `${QUERY}${text}`;
			const named = (name: string) => QUERY.replace("'N'", () => name);
			test.each([
				['a semicolon', end(';')],
				['several', end(' ;\n; ')],
				['a comment', end(' -- done')],
				['a semicolon and comments', end(`; -- done ---- ; \n-- more\n/* all */\n`)],
				['a comment without a line break before it', end('/* ; */')],
				['an order', end(' order by p.body desc, p.id limit 100;')],
				[
					'with',
					`with all_of as (select * from products) ${QUERY.replace('products', 'all_of')};`,
				],
				['union', `${QUERY} where id < 3 union all ${QUERY} where id >= 3`],
				['curly braces', named("'{{ $json.id }} }} {{'")],
				['a two-dimensional array', named("'{{1,2},{3,4}}'::int[]")],
				['parameters', named("'$1 $5:raw $9:raw $10 ${a} $&'")],
				['dollar quotes', named("$$it's$$ || $a$ $$ $a$")],
				[
					'percent signs and backslashes',
					QUERY.replace("'N'", `'100 % %s \\1 \\' || E'\\'\\n'`),
				],
				['a string that looks like an end', end(" where p.body <> '; -- a'")],
			])('may have %s', async (_, query) => {
				await products(5);
				await expectGreen({ query }, { pushed: 5 });
				const [{ documents }] = await world.query(
					`select json_object_agg(id, document) as documents from (${query.replace(/;[\s;]*(?:--[^']*)?$/, '')}\n) d`,
				);
				for (const [id, document] of Object.entries(documents as Record<string, object>))
					expect(world.index.get(id)).toEqual({ ...document, id });
				await expectGreen({ query }, { unchanged: 5 });
			});

			test('a query with two statements is refused', async () => {
				await products(2);
				const { status } = await run({ query: `${QUERY}; drop table products` });
				expect(status).toBe(400);
				expect(await world.query('select from products')).toHaveLength(2);
			});
		});
	});
});

describe('chunks', () => {
	cases(true, () => {
		const query = `
			select p.id as key, 'doc/' || p.id as id, json_build_object(
				'name', 'N', 'text', p.body, 'problem', case when p.body is null then e'cut \\ud83d \\u0000' end
			) as document from products p`.replace("e'cut \\ud83d \\u0000'", `'"cut \\ud83d \\u0000"'::json`);

		test('what a document has fewer is deleted', async () => {
			await products(6);
			await world.query("update products set body = e'A\\nB\\nC' where id = 2");
			await expectGreen({ query }, { pushed: 6 });
			await world.query("update products set body = 'A' where id = 2");
			await expectGreen({ query }, { pushed: 1, unchanged: 5 });
			await world.query("update products set body = '' where id = 3");
			await expectGreen({ query }, { deleted: 1, unchanged: 5 });
			expect([...world.index.keys()].sort()).toEqual(
				[1, 2, 4, 5, 6].map((n) => `doc/${n}#0`),
			);
		});

		test('a problem that PostgreSQL refuses as text is remembered', async () => {
			await products(6);
			await run({ query });
			await world.query(
				"update products set body = null where id = 2; update products set body = 'B' where id = 3",
			);
			const result = await run({ query });
			expect(counts(result)).toEqual({ pushed: 1, unreadable: 1, unchanged: 4 });
			const again = await run({ query });
			expect(counts(again)).toEqual({ unreadable: 1, unchanged: 5 });
			expect(again.problems).toEqual(["'doc/2' cut \ufffd \ufffd"]);
			expect(world.index.size).toBe(6);
		});

		test('a batch without work changes nothing', async () => {
			await products(3);
			await run({ query });
			await world.query("update products set body = 'Other' where id = 1");
			const meanwhile = async () => await world.query('delete from products where id = 1');
			await expectGreen({ query, meanwhile }, { unchanged: 2 });
		});
	});
});
