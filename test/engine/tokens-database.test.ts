/** Tests what happens if n8n's database fails while a credential is read or a token is stored. */
import { useSandbox, jsonOf } from '../../support/sandbox';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore, runNode } from '../../support/engine';
import { chunk, startWorker } from '../../support/worker';

const TYPE = 'lucidworksAiOAuth2Api';
const sandbox = useSandbox();

/** As TypeORM throws it. */
const busy = () =>
	Object.assign(new Error('SQLITE_BUSY: database is locked'), {
		name: 'QueryFailedError',
		code: 'SQLITE_BUSY',
		errno: 5,
		driverError: new Error('SQLITE_BUSY: database is locked'),
	});
const lost = () => new Error('Connection terminated unexpectedly');
const TROUBLES: Array<[string, () => Error]> = [
	['SQLite is busy', busy],
	['the connection to Postgres was lost', lost],
];

const newStore = () => new CredentialStore(sandboxCredentials(sandbox()));
const storedTokens = (store: CredentialStore) => store.get(TYPE).accessTokens ?? '';

describe.each(TROUBLES)('%s', (_trouble, error) => {
	it.each([1, 3])(
		'while a token is stored: all texts are submitted, and the token is stored later (failures: %d)',
		async (failures) => {
			const store = newStore();
			let updates = 0;
			store.onUpdate = () => {
				if (++updates <= failures) throw error();
			};
			const worker = startWorker();
			const result = await chunk(worker, store, {
				texts: 8,
				concurrency: 2,
				onError: 'continueRegularOutput',
			});
			expect(jsonOf(result.output).filter((json) => 'error' in json)).toEqual([]);
			expect(result.output).toHaveLength(8);
			expect(sandbox().tokensIssued()).toBe(1);
			expect(updates).toBe(failures + 1);
			expect(String(storedTokens(store))).toContain('accessToken');
			await chunk(worker, store, { texts: 2 });
			expect(updates).toBe(failures + 1);
		},
	);

	it('while the only text is submitted: the next run stores the token', async () => {
		const store = newStore();
		store.onUpdate = () => {
			throw error();
		};
		const worker = startWorker();
		const first = await chunk(worker, store);
		expect(first.error).toBeUndefined();
		expect(storedTokens(store)).toBe('');
		delete store.onUpdate;
		const second = await chunk(worker, store);
		expect(second.error).toBeUndefined();
		expect(String(storedTokens(store))).toContain('accessToken');
		expect(sandbox().tokensIssued()).toBe(1);
		expect(sandbox().requests.map(({ route }) => route)).toEqual(['token', 'submit', 'submit']);
	});

	it('while the credential is read: the message names the database', async () => {
		const store = newStore();
		store.onDecrypt = () => {
			throw error();
		};
		const runs = [
			await chunk(startWorker(), store),
			await runNode({ node: new PushDocuments(), items: [{ id: 'a', name: 'A' }], store }),
		];
		for (const run of runs) {
			expect(run.error?.message).toBe(
				`n8n's database failed, so the credential could not be read: ${error().message}`,
			);
			expect(run.error?.description).toMatch(/^Nothing was sent\. Run the workflow again\./);
		}
		expect(sandbox().requests).toEqual([]);
	});
});

it('n8n’s own errors about a credential stay as they are', async () => {
	const store = newStore();
	store.onDecrypt = () => {
		throw new Error('Credential with ID "1" does not exist for type "lucidworksAiOAuth2Api".');
	};
	const { error } = await chunk(startWorker(), store);
	expect(error?.message).toMatch(/^Credential with ID "1" does not exist/);
});
