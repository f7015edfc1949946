import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { InputError } from '../../../nodes/shared/service/input-error';
import {
	processTokens,
	type SendTokenRequest,
} from '../../../nodes/shared/service/tokens/process-tokens';
import { scopeOf } from '../../../nodes/shared/service/tokens/scope';
import {
	parseClient,
	parseTokenMap,
	type TokenMap,
} from '../../../nodes/shared/service/tokens/token';
import { TokenUse } from '../../../nodes/shared/service/tokens/token-use';

type User = ConstructorParameters<typeof TokenUse>[0];

const SCOPE = 'machinelearning.predict';
const OTHER_SCOPE = 'machinelearning.model';
const SECRET = 's3cret-of-the-client';
const MINUTE_MS = 60_000;

const fields = {
	authUrl: 'https://identity.example',
	authorizationServerId: 'aus1',
	clientId: 'me',
	clientSecret: SECRET,
	aiUrl: 'https://ai.example',
};
/** What differs from a node's request with the client above and no token. */
interface Changes extends Partial<typeof fields> {
	origin?: User['origin'];
	scope?: string;
	/** The token map that was read from the credential. */
	held?: string;
	/** The access token the service refused. */
	rejected?: string;
	wait?: User['wait'];
	mayStore?: boolean;
}

let now: number;
/** Scopes that were asked for, in order. */
let asked: string[];
/** What the server does; by default it issues t1, t2, ... */
let answer: (scope: string) => Promise<{ status: number; body: unknown }>;

beforeEach(() => {
	now = 1_000_000;
	asked = [];
	processTokens.clear();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	answer = async (scope) => ({
		status: 200,
		body: { token_type: 'Bearer', expires_in: 3600, access_token: `t${asked.length}`, scope },
	});
});

const send: SendTokenRequest = async ({ qs }) => {
	asked.push(qs.scope);
	return await answer(qs.scope);
};
const clientOf = (changes: Changes = {}) => parseClient({ ...fields, ...changes });
const entryOf = (changes: Changes = {}) =>
	processTokens.entry(clientOf(changes), changes.scope ?? SCOPE);
const useOf = (changes: Changes = {}): TokenUse => {
	const { origin = 'node', scope = SCOPE, held = '', rejected, wait, mayStore = true } = changes;
	const client = clientOf(changes);
	const stored = parseTokenMap(held);
	processTokens.offer(client, stored);
	const entry = entryOf(changes);
	if (rejected !== undefined && entry.valid?.accessToken === rejected)
		entry.refuse(entry.valid, 0);
	const token = origin === 'node' ? entry.usable : stored[scope];
	return new TokenUse({ client, scope, origin, token, mayStore, ...(wait && { wait }) });
};
/** What is to be stored after a request has obtained its token. */
const issue = async (changes: Changes = {}): Promise<TokenMap> => {
	await useOf(changes).obtain(send);
	return processTokens.toStore(clientOf(changes));
};
const tokenOf = (map: TokenMap, scope = SCOPE) => map[scope]?.accessToken;
const refuse = async () => ({ status: 503, body: { error: 'busy' } });

/** A token of one hour as it is stored, of this client unless told otherwise. */
const stored = (accessToken: string, minutesLeft: number, scope = SCOPE, changes: Changes = {}) =>
	JSON.stringify({
		[scope]: {
			accessToken,
			issuedAt: now + (minutesLeft - 60) * MINUTE_MS,
			expiresAt: now + minutesLeft * MINUTE_MS,
			renewAt: now + (minutesLeft - 5) * MINUTE_MS,
			issuedFor: clientOf(changes).identity,
		},
	});

describe('scopeOf', () => {
	test.each<[Record<string, unknown>, string]>([
		[{}, 'machinelearning.predict'],
		[{ scope: OTHER_SCOPE }, OTHER_SCOPE],
		[{ scope: 'custom', customScope: ' a b ' }, 'a b'],
		[{ scope: 'custom', customScope: '' }, ''],
		[{ scope: 'custom' }, ''],
		[{ scope: 7 }, 'machinelearning.predict'],
	])('of %j is %s', (data, scope) => {
		expect(scopeOf(data)).toBe(scope);
	});
});

describe('one token for all', () => {
	test('16 calls concurrently send one request', async () => {
		const maps = await Promise.all(Array.from({ length: 16 }, async () => await issue()));
		expect(asked).toEqual([SCOPE]);
		expect(new Set(maps.map((map) => tokenOf(map)))).toEqual(new Set(['t1']));
	});

	test('also for 16 concurrent credential tests', async () => {
		const calls = Array.from({ length: 16 }, async () => await issue({ origin: 'test' }));
		await Promise.all(calls);
		expect(asked).toHaveLength(1);
	});

	test('a request that failed is not shared with those who come later', async () => {
		answer = refuse;
		const failed = await Promise.allSettled([issue(), issue()]);
		expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(asked).toHaveLength(1);
		await expect(issue()).rejects.toThrow(ServiceFailure);
		expect(asked).toHaveLength(2);
	});

	test('a node takes what another execution of the process was given meanwhile', async () => {
		await issue();
		expect(tokenOf(await issue())).toBe('t1');
		expect(asked).toHaveLength(1);
	});

	test('once that is to be renewed, a new one is issued, and one only', async () => {
		await issue();
		now += 55 * MINUTE_MS;
		const maps = await Promise.all([issue(), issue(), issue()]);
		expect(maps.map((map) => tokenOf(map))).toEqual(['t2', 't2', 't2']);
		expect(asked).toHaveLength(2);
	});

	describe('the HTTP Request node and the credential test', () => {
		const issueFor = async (held: string) =>
			tokenOf(await issue({ origin: 'credential', held }));

		test.each<[string, () => string]>([
			['none', () => ''],
			['one that has ended', () => stored('old', 0)],
			['an older one, which the server may have revoked', () => stored('old', 30)],
			[
				'one of a previous client',
				() => stored('old', 90, SCOPE, { clientSecret: 'previous' }),
			],
		])('use the token of the process if their data have %s', async (_, held) => {
			await issue();
			expect(await issueFor(held())).toBe('t1');
			expect(asked).toHaveLength(1);
		});

		test.each<[string, (own: string) => string]>([
			['that very token', (own) => own],
			['a newer one of another worker', () => stored('newer', 90)],
		])('ask the server if their data have %s', async (_, held) => {
			const own = JSON.stringify(await issue());
			expect(await issueFor(held(own))).toBe('t2');
		});

		test('ask the server if the token of the process has to be renewed', async () => {
			await issue();
			now += 55 * MINUTE_MS;
			expect(await issueFor(stored('old', 0))).toBe('t2');
		});

		test('get one token if their requests are refused one after the other', async () => {
			const old = JSON.stringify(await issue());
			const tokens = [];
			for (let refusal = 1; refusal <= 5; refusal++) {
				now += 1;
				tokens.push(await issueFor(old));
			}
			expect(new Set(tokens)).toEqual(new Set(['t2']));
		});
	});

	test('scopes stay apart, and the map keeps both', async () => {
		const [one, other] = await Promise.all([issue(), issue({ scope: OTHER_SCOPE })]);
		expect(asked.sort()).toEqual([OTHER_SCOPE, SCOPE]);
		expect(tokenOf(one)).not.toBe(tokenOf(other, OTHER_SCOPE));
		const both = await issue({
			scope: 'merchandising.rules',
			held: JSON.stringify({ ...one, ...other }),
		});
		expect(Object.keys(both).sort()).toEqual([OTHER_SCOPE, SCOPE, 'merchandising.rules']);
	});

	test('a token of another scope that was issued at the same time is stored with it', async () => {
		await issue({ scope: OTHER_SCOPE });
		// This execution has read the credential before that one was stored.
		const map = await issue();
		expect([tokenOf(map, OTHER_SCOPE), tokenOf(map)]).toEqual(['t1', 't2']);
	});

	test('of a scope the token that was issued last is kept', async () => {
		const short = stored('short', 10, OTHER_SCOPE);
		const long = stored('long', 100, OTHER_SCOPE);
		const mine = tokenOf(await issue({ scope: OTHER_SCOPE }), OTHER_SCOPE);
		expect(tokenOf(await issue({ held: short }), OTHER_SCOPE)).toBe(mine);
		expect(tokenOf(await issue({ held: long }), OTHER_SCOPE)).toBe('long');
	});

	test('the life of a token starts when it was requested, not when the response came', async () => {
		const issueFreely = answer;
		const before = now;
		answer = async (scope) => {
			now += 20_000;
			return await issueFreely(scope);
		};
		expect((await issue())[SCOPE]?.expiresAt).toBe(before + 60 * MINUTE_MS);
	});
});

describe('another client', () => {
	test.each(['authUrl', 'authorizationServerId', 'clientId', 'clientSecret'])(
		'a changed %s never reuses a token of the process or a stored one',
		async (key) => {
			const old = await issue();
			const renewed = await issue({
				[key]: 'https://new.example',
				held: JSON.stringify(old),
			});
			expect(asked).toHaveLength(2);
			expect(tokenOf(renewed)).toBe('t2');
		},
	);

	test('does not share a request in flight', async () => {
		const issueFreely = answer;
		answer = async (scope) => {
			const reply = await issueFreely(scope);
			await new Promise(setImmediate);
			return reply;
		};
		const maps = await Promise.all([issue(), issue({ clientSecret: 'another' })]);
		expect(maps.map((map) => tokenOf(map))).toEqual(['t1', 't2']);
	});

	test('tokens of the previous client are not kept in the map', async () => {
		const previous = stored('old', 30, OTHER_SCOPE, { clientSecret: 'previous' });
		expect(Object.keys(await issue({ held: previous }))).toEqual([SCOPE]);
	});

	test('a token of the previous client does not stand in when the renewal fails', async () => {
		answer = refuse;
		const previous = stored('old', 30, SCOPE, { clientSecret: 'previous' });
		await expect(issue({ held: previous })).rejects.toThrow(ServiceFailure);
	});
});

describe('a renewal that fails', () => {
	test('keeps a token that lives, its next renewal postponed', async () => {
		answer = refuse;
		const map = await issue({ held: stored('old', 3) });
		expect(map[SCOPE]).toMatchObject({ accessToken: 'old', expiresAt: now + 3 * MINUTE_MS });
		now += 29_000;
		expect(tokenOf(await issue())).toBe('old');
		expect(asked).toHaveLength(1);
		now += 1_000;
		expect(entryOf().usable).toBeUndefined();
		expect(tokenOf(await issue())).toBe('old');
		expect(asked).toHaveLength(2);
	});

	test('fails the request if the token has expired', async () => {
		answer = refuse;
		await expect(issue({ held: stored('old', 0) })).rejects.toMatchObject({
			kind: 'token',
			transient: true,
		});
	});

	test('fails if the token expired while the server was being asked', async () => {
		answer = async () => {
			now += 4 * MINUTE_MS;
			return await refuse();
		};
		await expect(issue({ held: stored('old', 3) })).rejects.toThrow(ServiceFailure);
	});

	test('fails if the service has refused that token', async () => {
		answer = refuse;
		const changes = { held: stored('old', 3), rejected: 'old' };
		await expect(issue(changes)).rejects.toThrow(ServiceFailure);
	});

	test('fails the credential test, which is to tell', async () => {
		answer = refuse;
		const changes: Changes = { origin: 'credential', held: stored('old', 30) };
		await expect(issue(changes)).rejects.toThrow(ServiceFailure);
	});

	test('a programming error is not hidden by an old token', async () => {
		answer = async () => await Promise.reject(new TypeError('bug'));
		await expect(issue({ held: stored('old', 3) })).rejects.toThrow('bug');
	});
});

describe('a token the service refused', () => {
	test('is never used again, although it is fresh in the process', async () => {
		expect(tokenOf(await issue())).toBe('t1');
		expect(tokenOf(await issue({ rejected: 't1' }))).toBe('t2');
		expect(asked).toHaveLength(2);
	});

	test.each<[string, string, number, string]>([
		['is replaced by a newer one of the process', 'old', 30, 't1'],
		['is not replaced by an older one, which the server may have revoked', 'newer', 90, 't2'],
	])('%s', async (_, refused, minutesLeft, expected) => {
		await issue();
		const held = stored(refused, minutesLeft);
		expect(tokenOf(await issue({ held, rejected: refused }))).toBe(expected);
	});

	test('is used again if the server issues it again', async () => {
		const issueFreely = answer;
		const again = async () => {
			const { status, body } = await issueFreely(SCOPE);
			return { status, body: { ...(body as object), access_token: 't1' } };
		};
		await issue();
		answer = again;
		const use = useOf({ rejected: 't1' });
		for (let request = 1; request <= 3; request++) await use.obtain(send);
		expect(use.token?.accessToken).toBe('t1');
		expect(asked).toHaveLength(2);
	});

	test('is replaced once for all who were refused', async () => {
		await issue();
		const calls = Array.from({ length: 8 }, async () => await issue({ rejected: 't1' }));
		const maps = await Promise.all(calls);
		expect(new Set(maps.map((map) => tokenOf(map)))).toEqual(new Set(['t2']));
		expect(tokenOf(await issue({ rejected: 't1' }))).toBe('t2');
		expect(asked).toHaveLength(2);
	});
});

test('a credential with an empty field fails with the name of the field, without a request', async () => {
	await expect(issue({ clientSecret: '' })).rejects.toThrow(InputError);
	await expect(issue({ authUrl: 'nonsense' })).rejects.toThrow("'Token Server URL'");
	expect(asked).toEqual([]);
});

test('no error contains the secret or a token', async () => {
	const bodies = [
		{ status: 401, body: { error: 'invalid_client' } },
		{ status: 500, body: '<html>' },
		{ status: 200, body: { token_type: 'mac', access_token: 't0ken' } },
		{ status: 200, body: { token_type: 'Bearer', expires_in: 9, access_token: 't0ken\n' } },
	];
	for (const reply of bodies) {
		answer = async () => reply;
		const error: unknown = await issue({ held: stored('t0ken-old', 0) }).catch((e) => e);
		expect(error).toBeInstanceOf(ServiceFailure);
		const { message, description, stack } = error as ServiceFailure;
		const text = [message, description, stack, JSON.stringify(error)].join();
		expect(text).not.toMatch(/s3cret|t0ken/);
	}
});

test('the map it returns can be stored and read back', async () => {
	const map = await issue();
	expect(parseTokenMap(JSON.stringify(map))).toEqual(map);
	expect(tokenOf(map)).toBe('t1');
});

test('a client is known by what it is, not by the service its tokens are for', async () => {
	await issue();
	expect(tokenOf(await issue({ aiUrl: 'https://other.example' }))).toBe('t1');
	expect(asked).toHaveLength(1);
});

test('a token of a longer lifetime does not hide a newer one', async () => {
	const lasting = JSON.stringify({
		[SCOPE]: {
			...parseTokenMap(stored('lasting', 30))[SCOPE],
			expiresAt: now + 9_000 * MINUTE_MS,
		},
	});
	expect(tokenOf(await issue())).toBe('t1');
	expect(tokenOf(await issue({ origin: 'credential', held: lasting }))).toBe('t1');
});

test('a run that stops waiting leaves the request to the others', async () => {
	const issueFreely = answer;
	answer = async (scope) => {
		await new Promise(setImmediate);
		return await issueFreely(scope);
	};
	const use = useOf({ wait: async () => await Promise.reject(new Error('canceled')) });
	const stopped = use.obtain(send);
	const other = issue();
	await expect(stopped).rejects.toThrow('canceled');
	expect(use.failure).toMatchObject({ message: 'canceled' });
	expect(tokenOf(await other)).toBe('t1');
	expect(asked).toHaveLength(1);
});

describe('an issued token is stored', () => {
	test('by one of the requests that waited for it', async () => {
		const stored = await Promise.all(
			Array.from({ length: 8 }, async () => await useOf().obtain(send)),
		);
		expect(stored.filter((map) => map !== undefined)).toHaveLength(1);
	});

	test('not by a run whose credential has another client by now, but by the next one', async () => {
		expect(await useOf({ mayStore: false }).obtain(send)).toBeUndefined();
		expect(tokenOf((await useOf().obtain(send)) ?? {})).toBe('t1');
	});

	test('not again if it came from the credential', async () => {
		expect(await useOf({ held: stored('theirs', 30) }).obtain(send)).toBeUndefined();
	});

	test('not if it is an old one that could not be renewed', async () => {
		answer = refuse;
		const use = useOf({ held: stored('due', 3) });
		expect(await use.obtain(send)).toBeUndefined();
		expect(use.token?.accessToken).toBe('due');
	});
});

describe('a refused token', () => {
	test('gives way to any other that is stored, although clocks may differ', async () => {
		useOf({ held: stored('ahead', 90), rejected: 'ahead' });
		expect(tokenOf(await issue({ held: stored('behind', 30) }))).toBe('behind');
		expect(tokenOf(await issue({ held: stored('ahead', 90) }))).toBe('behind');
		expect(asked).toEqual([]);
	});

	test('is not taken back from the credential', async () => {
		const held = stored('old', 30);
		useOf({ held, rejected: 'old' });
		expect(tokenOf(await issue({ held }))).toBe('t1');
	});

	test('leaves others the time to store another one, once for all runs', () => {
		useOf({ held: stored('old', 30) });
		const entry = entryOf();
		const token = entry.valid;
		expect(token && entry.refuse(token, 500)).toBe(true);
		now += 200;
		expect(token && entry.refuse(token, 500)).toBe(true);
		expect(entry.pauseMs).toBe(300);
		now += 300;
		expect(entry.pauseMs).toBe(0);
	});

	test('that has been replaced need not be refused', async () => {
		useOf({ held: stored('old', 30) });
		const old = entryOf().valid;
		await issue({ rejected: 'old' });
		expect(old && entryOf().refuse(old, 500)).toBe(false);
		expect(entryOf().usable?.accessToken).toBe('t1');
	});
});

test('what has expired is forgotten, what is requested is not', async () => {
	useOf({ held: stored('old', 30) });
	const first = entryOf();
	now += 31 * MINUTE_MS;
	const pending = issue({ scope: OTHER_SCOPE });
	const other = entryOf({ scope: OTHER_SCOPE });
	expect(entryOf()).not.toBe(first);
	expect(entryOf({ scope: OTHER_SCOPE })).toBe(other);
	await pending;
});
