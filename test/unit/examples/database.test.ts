/** Tests the database syncs with the statements and Code nodes of the built examples, on PGlite. */
import type { PGlite } from '@electric-sql/pglite';

import type { Row, RunOptions } from './support/database-world';
import { approved } from './support/approvals';
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
		set time zone 'UTC';
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

		describe('ignoredFields', () => {
			const MORE = `json_build_object(
				'name', 'N', 'text', p.body, 'price', p.price, 'views', p.views)`;
			const shown = (document: string) => `
				select p.id as key, 'doc/' || p.id as id, ${document} as document from products p`;
			const create = async () =>
				await world.query(`
					create table products (id int primary key, body text, price int, views int);
					insert into products select n, 'T' || n, n, n from generate_series(1, 6) n`);
			const settings = { ignoredFields: 'views, seen' };

			test.each([
				['json', MORE],
				['jsonb', `${MORE}::jsonb`],
			])('a change of an ignored field changes nothing: %s', async (_, document) => {
				await create();
				const query = shown(document);
				await expectGreen({ query, settings }, { pushed: 6 });
				await world.query('update products set views = views + 1');
				await expectGreen({ query, settings }, { unchanged: 6 });
				expect(world.index.get('doc/2')).toMatchObject({ views: 2 });
				await world.query('update products set price = 0 where id = 2');
				await expectGreen({ query, settings }, { pushed: 1, unchanged: 5 });
				// What is pushed has all fields, with their values of now.
				expect(world.index.get('doc/2')).toMatchObject({ price: 0, views: 3 });
			});

			test('only documents with such a field have another version', async () => {
				await create();
				const odd = `
					case p.id when 1 then ${MORE} when 2 then null when 3 then '["views"]'::json
					when 4 then '"views"'::json when 5 then '{"views": 1}'::json
					else json_build_object('name', 'views') end`;
				const query = shown(odd);
				await run({ query });
				world.index.clear();
				const result = await run({ query, settings });
				expect(counts(result)).toEqual({ pushed: 2, unchanged: 1, unreadable: 3 });
				expect([...world.index.keys()]).toEqual(['doc/1', 'doc/5']);
				const again = await run({ query, settings });
				expect(counts(again)).toEqual({ unchanged: 3, unreadable: 3 });
			});

			test('names and values that PostgreSQL refuses', async () => {
				await create();
				const query = shown(
					String.raw`('{"name": "\u0000 \ud83d", "\u0000": 1, "views": ' || p.views || '}')::json`,
				);
				const odd = { ignoredFields: "views, \0, it's, \ud83d, $1, {{ 1 }}" };
				await expectGreen({ query, settings: odd }, { pushed: 6 });
				await world.query('update products set views = views + 1');
				await expectGreen({ query, settings: odd }, { unchanged: 6 });
			});

			test('a field that must be pushed is pushed by pushAgain', async () => {
				await create();
				const query = shown(MORE);
				await run({ query, settings });
				await world.query('update products set views = 99 where id = 3');
				await expectGreen(
					{ query, settings: { ...settings, pushAgain: ['doc/3'] } },
					{ pushed: 1, unchanged: 5 },
				);
				expect(world.index.get('doc/3')).toMatchObject({ views: 99 });
			});
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
			await expectGreen({ approval: approved(20) }, { deleted: 20, unchanged: 10 });
		});

		test.each([
			['no rows', 'delete from products', '3 of 3 documents would be deleted'],
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
				const isWithheld = why.includes('deleted');
				expect([status, error]).toEqual([
					isWithheld ? 500 : 400,
					expect.stringContaining(why),
				]);
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
				['half an emoji', 'cut \ud83d', 'cut'],
				['the other half', '\ude00 cut', 'cut'],
				['NUL', 'a\0\0b', 'a'],
				['escapes that are texts', 'C:\\u0000\\ud83d', 'C:\\u0000\\ud83d'],
			])('%s in a message: only this document is tried again', async (_, message, stays) => {
				await products(6);
				const refuses = (id: string) => (id === 'doc/2' ? message : '');
				const result = await run({ refuses });
				expect(counts(result)).toEqual({ pushed: 5, failed: 1 });
				await expectGreen({}, { pushed: 1, unchanged: 5 });
				const [{ error }] = await world.query(
					"select error from search_sync_runs where workflow = 'w' order by run limit 1",
				);
				expect(error).toContain(stays);
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

		test('fields beside the text can be ignored, but not the text', async () => {
			await products(3);
			await world.query('alter table products add views int');
			const document = `json_build_object('name', 'N', 'text', p.body, 'views', p.views)`;
			const options = {
				query: `select p.id as key, 'doc/' || p.id as id, ${document} as document from products p`,
				settings: { ignoredFields: 'views, text, name' },
			};
			await expectGreen(options, { pushed: 3 });
			await world.query(
				"update products set views = 7; update products set body = 'B' where id = 2",
			);
			await expectGreen(options, { pushed: 1, unchanged: 2 });
			expect(textOf('doc/2#0')).toBe('B');
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
			expect(again.problems).toEqual([expect.stringMatching(/^'doc\/2' cut/)]);
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

describe('statements', () => {
	cases(false, () => {
		const ROWS = 12;
		const ALL = { from: 1, to: ROWS, goneFrom: 'doc/1', goneTo: 'doc/9', ids: null };
		const SOURCE = `select n as key, 'doc/' || n as id, ${DOCUMENT.replace('p.body', 'n')} as document from source`;

		/** Fills the tables. Returns the number of a run that has the lock. */
		async function fill(rows = ROWS): Promise<unknown> {
			const [{ run: number }] = await world.query(`
				drop table if exists source;
				create table source as select n from generate_series(1, ${rows}) n;
				delete from search_sync_documents where workflow = 'w';
				delete from search_sync_runs where workflow = 'w';
				insert into search_sync_documents (workflow, id, version, chunks)
				select 'w', 'doc/' || n, 'old', 1 from source;
				insert into search_sync_runs (workflow, execution, locked_until)
				values ('w', '1', now() + interval '5 minutes') returning run`);
			return number;
		}

		const readAll = async (number: unknown, range: object = {}) => {
			const settings = {
				...{ settings: 'settings', pushAgain: '[]', ignored: '[]' },
				documents: 100,
			};
			const $json = { run: number, query: SOURCE, ...settings, ...ALL, ...range };
			const outputs = { 'When Called by Itself': [$json] };
			const [row] = await world.statement('Read', { $json, outputs });
			return row as { run?: unknown; gone?: Work[]; changed?: Work[]; missed?: Work[] };
		};

		const compareAll = async (number: unknown, pushAgain: string[] = [], query = SOURCE) => {
			const prepared = { query, settings: 'settings', ignored: '[]' };
			const outputs = {
				'Prepare the Query': [{ ...prepared, pushAgain: JSON.stringify(pushAgain) }],
			};
			const scope = { $json: { run: number }, outputs };
			const [row] = await world.statement('Compare', scope, { 6: 1 });
			return row;
		};

		const note = async (number: unknown) => {
			const entries = JSON.stringify([['doc/1', '', 5, 'sum']]);
			const [row] = await world.statement('Note Planned Changes', {
				$json: { run: number, entries },
			});
			return row;
		};

		const tables = async () =>
			await world.query(`
				select to_jsonb(d) as row from search_sync_documents d union all
				select to_jsonb(r) from search_sync_runs r order by 1`);

		test.each([
			['it has expired', 'set locked_until = now()'],
			['it was given back', 'set locked_until = null'],
			['its row was deleted', ''],
			['a newer run has it', 'set locked_until = now()'],
		])('without the lock, nothing is read and nothing changes: %s', async (how, loss) => {
			for (const statement of [readAll, note]) {
				const number = await fill();
				const before = await tables();
				expect(await statement(number)).toMatchObject({ run: number });
				expect(await tables()).not.toEqual(before);
				await fill();
				const [{ run: lost }] = await world.query(
					"select run from search_sync_runs where workflow = 'w'",
				);
				await world.query(
					loss === ''
						? "delete from search_sync_runs where workflow = 'w'"
						: `update search_sync_runs ${loss} where workflow = 'w'`,
				);
				if (how.startsWith('a newer')) await world.statement('Lock');
				const after = await tables();
				expect(await statement(lost)).toEqual({ success: true });
				expect(await tables()).toEqual(after);
				expect(await compareAll(lost)).toMatchObject({ isOwner: false, rows: 0 });
			}
		});

		test('a batch reads exactly the keys of its range', async () => {
			const number = await fill();
			for (let from = 1; from <= ROWS; from++) {
				for (let to = from; to <= ROWS; to++) {
					const { changed = [], gone } = await readAll(number, { from, to });
					const expected = Array.from(
						{ length: to - from + 1 },
						(_, at) => `doc/${from + at}`,
					);
					expect([changed.map(({ id }) => id), gone]).toEqual([expected, []]);
				}
			}
		});

		test('a batch has exactly the missing documents of its range', async () => {
			const number = await fill();
			await world.query('delete from source where n % 3 = 0');
			const missing = ['doc/12', 'doc/3', 'doc/6', 'doc/9'];
			for (const [at, goneFrom] of missing.entries()) {
				for (const goneTo of missing.slice(at)) {
					const { gone = [] } = await readAll(number, {
						from: null,
						to: null,
						goneFrom,
						goneTo,
					});
					const expected = missing.filter((id) => id >= goneFrom && id <= goneTo);
					expect(gone.map(({ id }) => id).sort()).toEqual(expected);
				}
			}
		});

		test('what happens to a document follows from the source and the table', async () => {
			const number = await fill(0);
			const each: Array<
				[
					isInSource: boolean,
					version: string | null,
					problem: string | null,
					isNamed: boolean,
					state: string,
				]
			> = [];
			for (const isInSource of [true, false])
				for (const version of [null, 'same', 'another', ''])
					for (const problem of [null, 'is a scan'])
						for (const isNamed of [true, false]) {
							if (version === null && (!isInSource || problem !== null)) continue;
							const isChanged = version !== 'same' || isNamed;
							const present = isChanged
								? 'changed'
								: problem
									? 'unreadable'
									: 'unchanged';
							each.push([
								isInSource,
								version,
								problem,
								isNamed,
								isInSource ? present : 'gone',
							]);
						}
			const pushAgain: string[] = [];
			for (const [at, [isInSource, version, problem, isNamed]] of each.entries()) {
				if (isNamed) pushAgain.push(`doc/${at}`);
				if (isInSource) await world.query(`insert into source values (${at})`);
				if (version === null) continue;
				const sum = `md5(md5('settings') || ${DOCUMENT.replace('p.body', String(at))}::text)`;
				await world.query(`
					insert into search_sync_documents (workflow, id, version, chunks, problem) values
					('w', 'doc/${at}', ${version === 'same' ? sum : `'${version}'`}, 1, ${problem ? `'${problem}'` : 'null'})`);
			}
			const compared = await compareAll(number, pushAgain);
			const { changed, gone, problems, unchanged } = compared as unknown as {
				changed: Array<{ from: string; to: string; documents: number; ids: string }>;
				gone: Array<{ from: string; to: string; documents: number }>;
				problems: string[];
				unchanged: number;
			};
			for (const { from, to, documents, ids } of changed)
				expect([to, documents, ids]).toEqual([from, 1, `["doc/${from}"]`]);
			for (const { from, to, documents } of gone) expect([to, documents]).toEqual([from, 1]);
			const seen = [
				...changed.map(({ from }) => `doc/${from} changed`),
				...gone.map(({ from }) => `${from} gone`),
				...problems.map((problem) => problem.replace(/'(.*)' is a scan/, '$1 unreadable')),
			];
			const expected = each.map(([, , , , state], at) => `doc/${at} ${state}`);
			expect(seen.sort()).toEqual(
				expected.filter((one) => !one.endsWith('unchanged')).sort(),
			);
			expect(unchanged).toBe(expected.filter((one) => one.endsWith(' unchanged')).length);
			expect(compared).toMatchObject({
				known: each.filter(([, version]) => version !== null).length,
				goneFromIndex: gone.length,
				unreadable: problems.length,
				rows: each.filter(([isInSource]) => isInSource).length,
			});
		});

		test('Read and Compare get the same version in each time zone of the server', async () => {
			const zones = ['UTC', 'Asia/Kathmandu', 'America/New_York'];
			const [{ settings }] = await world.query("select md5('settings') as settings");
			for (const zone of zones) {
				const number = await fill();
				await world.query('alter table source add at timestamptz default now()');
				const dated = SOURCE.replace("'text', n", "'at', at");
				await world.query(`set time zone '${zone}'`);
				const { changed = [] } = await readAll(number, { query: dated, settings });
				expect(changed).toHaveLength(ROWS);
				for (const { id, version } of changed)
					await world.query(
						`update search_sync_documents set version = '${version}' where workflow = 'w' and id = '${id}'`,
					);
				for (const later of zones) {
					await world.query(`set time zone '${later}'`);
					const { changed: again } = await readAll(number, { query: dated, settings });
					const { unchanged } = await compareAll(number, [], dated);
					expect([again, unchanged]).toEqual([[], ROWS]);
				}
			}
		});

		describe('Remember', () => {
			const row = (number: unknown, entries: unknown[]) => ({
				...{ run: number, entries: JSON.stringify(entries), error: '', problems: '' },
				...{
					pushed: 1,
					deleted: 2,
					chunksDeleted: 3,
					notIndexed: 4,
					failed: 5,
					unreadable: 6,
				},
				withheld: 7,
			});
			const remember = async (number: unknown, entries: unknown[], error = '') => {
				const outputs = { 'When Called by Itself': [{ documents: 9 }] };
				const $json = { ...row(number, entries), error };
				return (await world.statement('Remember', { $json, outputs }))[0];
			};
			const known = async (id: string) =>
				(
					await world.query(
						`select version, chunks, text, problem, late_until from search_sync_documents where workflow = 'w' and id = '${id.replaceAll("'", "''")}'`,
					)
				)[0];

			test('keeps, replaces and removes documents, and counts', async () => {
				const number = await fill(3);
				const ids = ['doc/1', 'new', 'it\'s, "1"'];
				const returned = await remember(number, [
					...ids.map((id) => [id, 'v', 2, 'sum', 'is a scan']),
					['doc/2', null],
				]);
				expect(returned).toMatchObject({ run: number, planned: 9, pushed: 1, withheld: 7 });
				for (const id of ids)
					expect(await known(id)).toEqual({
						...{ version: 'v', chunks: 2, text: 'sum', problem: 'is a scan' },
						late_until: null,
					});
				expect(await known('doc/2')).toBeUndefined();
				expect(await known('doc/3')).toMatchObject({ version: 'old' });
				await remember(number, [['doc/1', 'w']], 'first');
				expect(await known('doc/1')).toMatchObject({
					version: 'w',
					chunks: 1,
					text: null,
					problem: null,
				});
				await remember(number, [], 'second');
				const [run1] = await world.query(
					"select pushed, deleted, chunks_deleted, failed, unreadable, withheld, error from search_sync_runs where workflow = 'w'",
				);
				expect(run1).toEqual({
					...{ pushed: 3, deleted: 6, chunks_deleted: 9, failed: 15, unreadable: 18 },
					...{ withheld: 21, error: 'first' },
				});
			});

			// The Code nodes clean what they write. A statement must not rely on it.
			test.each(['\ud83d', '\ude00', '\0', '\0\0\ud83d\ud83d\ude00'])(
				'writes U+FFFD for what PostgreSQL refuses, row %#',
				async (odd) => {
					const number = await fill(1);
					const clean = odd.toWellFormed().replaceAll('\0', '\ufffd');
					const text = `a${odd}\\u0000"`;
					const entries = [['doc/1', 'v', 1, text, text]];
					await remember(number, entries, text);
					expect(await known('doc/1')).toMatchObject({
						...{ text: `a${clean}\\u0000"`, problem: `a${clean}\\u0000"` },
					});
					await world.statement('Note Planned Changes', {
						$json: { run: number, entries: JSON.stringify([[text, '', 1, text]]) },
					});
					expect(await known(`a${clean}\\u0000"`)).toBeDefined();
					const outputs = { Lock: [{ run: number }] };
					const $json = { ...row(number, []), error: text };
					const [end] = await world.statement('Unlock', { $json, outputs });
					expect(end).toEqual({ error: `a${clean}\\u0000"`, documents: 2 });
				},
			);

			test('an empty version keeps the larger number of chunks', async () => {
				const number = await fill(2);
				await remember(number, [
					['doc/1', 'v', 5],
					['doc/2', 'v', 2],
				]);
				await remember(number, [
					['doc/1', '', 3],
					['doc/2', '', 4],
				]);
				expect([await known('doc/1'), await known('doc/2')]).toMatchObject([
					{ version: '', chunks: 5 },
					{ version: '', chunks: 4 },
				]);
			});

			test('what a late run writes is not certain until a newer run has written it', async () => {
				const late = await fill(3);
				await world.query(
					"update search_sync_runs set locked_until = now() where workflow = 'w'",
				);
				const [{ run: newer }] = await world.statement('Lock');
				await remember(late, [
					['doc/1', 'v', 2],
					['doc/2', null],
				]);
				expect(await known('doc/1')).toMatchObject({
					version: '',
					chunks: 2,
					late_until: newer,
				});
				await remember(newer, [['doc/1', 'w', 1]]);
				expect(await known('doc/1')).toMatchObject({ version: '', chunks: 2 });
				await remember(newer, [['doc/1', null]]);
				expect(await known('doc/1')).toBeDefined();
				await world.query(
					"update search_sync_runs set locked_until = now() where workflow = 'w'",
				);
				const [{ run: newest }] = await world.statement('Lock');
				await remember(newest, [['doc/1', 'w', 1]]);
				expect(await known('doc/1')).toMatchObject({ version: 'w', chunks: 1 });
				await remember(newest, [['doc/1', null]]);
				expect(await known('doc/1')).toBeUndefined();
			});
		});
	});
});

interface Work {
	id: string;
	version: string;
}

describe.each([false, true])('documents that the service rejects (chunked: %j)', (isChunked) => {
	beforeEach(async () => {
		world = await DatabaseWorld.empty(db, isChunked);
		await products(9);
	});

	const refused = (ids: string[]) => (id: string) =>
		ids.includes(id) ? 'The push service answered with status 502' : '';

	test('one bad document alone in the first batch does not keep others from the index', async () => {
		for (const text of ['A', 'B', 'C']) {
			await world.query(`update products set body = '${text}' || id`);
			const options = { batchSize: 1, refuses: refused(['doc/1']) };
			expect(counts(await run(options))).toEqual({ pushed: 8, failed: 1 });
			expect(world.index.size).toBe(8);
		}
	});

	test('two bad batches in a row end the run, and the next run begins with the others', async () => {
		const options = { batchSize: 2, refuses: refused(['doc/1', 'doc/2', 'doc/3', 'doc/4']) };
		expect(await run(options)).toMatchObject({ pushed: 0, failed: 4, later: 5 });
		expect(await run(options)).toMatchObject({ pushed: 5, failed: 4 });
	});
});

describe.each([false, true])('Show the Plan (chunked: %j)', (isChunked) => {
	const tables = async () =>
		await world.query(`
			select table_name, (xpath('//text()', query_to_xml('select count(*) from ' || table_name, false, true, '')))[1]::text as rows
			from information_schema.tables where table_schema = 'public' order by 1`);

	beforeEach(async () => {
		world = await DatabaseWorld.empty(db, isChunked);
		await products(9);
	});

	const plan = async (options: Partial<RunOptions> = {}) =>
		await world.plan({ query: QUERY, batchSize: 4, ...options });

	test('before the first run, it creates no table, and all documents are new', async () => {
		const before = await tables();
		expect(await plan()).toMatchObject({
			...{
				status: 200,
				error: '',
				new: 9,
				changed: 0,
				missing: 0,
				unchanged: 0,
				withheld: 0,
			},
			newIds: Array.from({ length: 9 }, (_, at) => `doc/${at + 1}`),
			...(isChunked && { charactersToChunk: 18 }),
		});
		expect(await tables()).toEqual(before);
	});

	test('it equals the run that follows, and changes nothing', async () => {
		await world.statement('Tables');
		await world.query(OTHER);
		await run();
		await world.query(`
			update products set body = 'New' where id <= 2;
			delete from products where id in (3, 4, 5);
			insert into products values (10, 'T')`);
		const before = await tables();
		const seen = await plan();
		expect(seen).toMatchObject({
			...{ new: 1, changed: 2, missing: 3, unchanged: 4, unreadable: 0, withheld: 0 },
			...{ newIds: ['doc/10'], changedIds: ['doc/1', 'doc/2'] },
			missingIds: ['doc/3', 'doc/4', 'doc/5'],
		});
		expect(seen.charactersToChunk).toBe(isChunked ? 7 : undefined);
		expect(await tables()).toEqual(before);
		expect(counts(await run())).toEqual({ pushed: 3, deleted: 3, unchanged: 4 });
		expect(await plan()).toMatchObject({ new: 0, changed: 0, missing: 0, unchanged: 7 });
	});

	test('withheld deletes are counted, and an approval counts in the plan', async () => {
		await world.statement('Tables');
		await run();
		await world.query('delete from products where id > 1');
		const settings = { mostDeletes: 2, mostDeletesPercent: 0, pushAgain: ['doc/1'] };
		expect(await plan({ settings })).toMatchObject({
			...{ missing: 8, withheld: 8, approvable: 8, changed: 1, unchanged: 0 },
		});
		expect(await plan({ settings, approval: approved(8) })).toMatchObject({
			...{ missing: 8, withheld: 0 },
		});
	});

	test('a run of another moment does not matter', async () => {
		await world.statement('Tables');
		await world.statement('Lock', { outputs: {} });
		expect(await plan()).toMatchObject({ status: 200, new: 9 });
	});

	test('rows without a document are unreadable, and so are problems', async () => {
		const document =
			"case p.id when 1 then null when 2 then json_build_object('problem', 'is a scan') else json_build_object('text', p.body) end";
		const query = QUERY.replace(DOCUMENT, document);
		const unreadable = isChunked ? ['doc/1', 'doc/2'] : ['doc/1'];
		expect(await plan({ query })).toMatchObject({
			...{ new: 9 - unreadable.length, unreadable: unreadable.length },
			unreadableIds: unreadable,
		});
	});

	test('it says why a run would be refused', async () => {
		const refusals: Array<[query: string, error: RegExp]> = [
			['select', /^Nothing was changed: PostgreSQL cannot run the query/],
			[
				`${QUERY} where false`,
				/^Nothing was changed: the query of 'Your Query' returns no rows/,
			],
			[QUERY.replace("'doc/' || p.id", 'null'), /rows of 'Your Query' have no ID/],
		];
		for (const [query, error] of refusals) {
			expect(await plan({ query })).toMatchObject({
				...{ status: 400, new: 0, newIds: [], error: expect.stringMatching(error) },
			});
		}
	});

	test('a query that writes is refused', async () => {
		await world.query(`
			create sequence written;
			create function write() returns text language sql as
			'insert into products values (99, ''X'') returning body'`);
		const query = QUERY.replace(DOCUMENT, "json_build_object('text', write())");
		expect(await plan({ query })).toMatchObject({
			error: expect.stringMatching(/read-only transaction/),
		});
	});
});
