import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { InputError } from '../../../nodes/shared/service/input-error';
import {
	parseTokenMap,
	SharedToken,
	type SendTokenRequest,
} from '../../../nodes/shared/service/tokens/shared-token';
import { parseClient, type Token } from '../../../nodes/shared/service/tokens/token';

const SCOPE = 'machinelearning.predict';
const OTHER_SCOPE = 'machinelearning.model';
const MINUTE_MS = 60_000;

const fields = {
	authUrl: 'https://identity.example',
	authorizationServerId: 'aus1',
	clientId: 'me',
	clientSecret: 's3cret-of-the-client',
	aiUrl: 'https://ai.example',
};
interface Changes extends Partial<typeof fields> {
	scope?: string;
	/** The token map that was read from the credential. */
	held?: string;
	/** An access token that must not be returned, for example because it was rejected. */
	not?: string;
}

let now: number;
let asked: string[];
/** Answers a token request. The default answer issues t1, t2, and so on. */
let answer: (scope: string) => Promise<{ status: number; body: unknown }>;

beforeEach(() => {
	now = 1_000_000;
	asked = [];
	SharedToken.states.clear();
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
const busy = async () => ({ status: 503, body: { error: 'busy' } });
const clientOf = (changes: Changes = {}) => parseClient({ ...fields, ...changes });
const shared = (changes: Changes = {}) =>
	SharedToken.forScope(clientOf(changes), changes.scope ?? SCOPE);
const obtain = async (changes: Changes = {}): Promise<string> => {
	shared(changes).adoptStored(changes.held);
	const accepts = ({ accessToken }: Token) => accessToken !== changes.not;
	return (await shared(changes).obtain(send, accepts)).accessToken;
};
const revoke = (accessToken: string) => shared().markRevoked({ accessToken } as Token);
const toStore = () => parseTokenMap(shared().mapToStore());

/** Returns a stored token with a lifetime of one hour. By default, it belongs to the client above. */
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

describe('one token for all requests', () => {
	test('a failed token request is not shared with later callers', async () => {
		answer = busy;
		const failed = await Promise.allSettled([obtain(), obtain()]);
		expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		expect(asked).toHaveLength(1);
		await expect(obtain()).rejects.toThrow(ServiceFailure);
		expect(asked).toHaveLength(2);
	});

	test('its lifetime starts with the request, not with the response', async () => {
		const issue = answer;
		const before = now;
		answer = async (scope) => {
			now += 20_000;
			return await issue(scope);
		};
		await obtain();
		expect(toStore()[SCOPE]?.expiresAt).toBe(before + 60 * MINUTE_MS);
	});
});

describe('after a 401, when n8n reports only that the token was rejected', () => {
	test.each<[string, () => string, string]>([
		['one that has ended', () => stored('old', 0), 't1'],
		['an older one, which the server may have revoked', () => stored('old', 30), 't1'],
		[
			'one of a previous client',
			() => stored('old', 90, SCOPE, { clientSecret: 'previous' }),
			't1',
		],
		['a newer one of another worker', () => stored('old', 90), 't2'],
	])('a request that had %s', async (_, held, token) => {
		await obtain();
		expect(await obtain({ held: held(), not: 'old' })).toBe(token);
	});

	test('requests whose token was revoked get one token, one after the other', async () => {
		const revoked = await obtain();
		const tokens = [];
		for (let request = 1; request <= 5; request++) tokens.push(await obtain({ not: revoked }));
		expect(new Set(tokens)).toEqual(new Set(['t2']));
	});
});

describe('what is stored', () => {
	const scopes = () => Object.keys(toStore()).sort();

	test("includes the client's tokens for all scopes, and can be read again", async () => {
		await Promise.all([obtain(), obtain({ scope: OTHER_SCOPE })]);
		await obtain({ clientSecret: 'another' });
		expect(asked.sort()).toEqual([OTHER_SCOPE, SCOPE, SCOPE]);
		expect(scopes()).toEqual([OTHER_SCOPE, SCOPE]);
	});

	test('is never a token of another client, whichever client asked last', async () => {
		const fieldNames = [
			'authUrl',
			'authorizationServerId',
			'clientId',
			'clientSecret',
		] as const;
		const clients: Changes[] = [
			{},
			...fieldNames.map((name) => ({ [name]: `${fields[name]}/other` })),
		];
		for (const order of [clients, clients.toReversed()]) {
			SharedToken.states.clear();
			for (const client of order)
				for (const scope of [SCOPE, OTHER_SCOPE]) await obtain({ ...client, scope });
			for (const client of order) {
				const tokens = Object.values(parseTokenMap(shared(client).mapToStore()));
				expect(tokens.map(({ issuedFor }) => issuedFor)).toEqual([
					clientOf(client).identity,
					clientOf(client).identity,
				]);
			}
		}
	});

	test('is the newest token for each scope', async () => {
		await obtain({ scope: OTHER_SCOPE });
		const tokens = [];
		for (const minutesLeft of [10, 100]) {
			await obtain({ held: stored('stored', minutesLeft, OTHER_SCOPE) });
			tokens.push(toStore()[OTHER_SCOPE]?.accessToken);
		}
		expect(tokens).toEqual(['t1', 'stored']);
	});

	test('is never a token that has expired or was revoked, whichever scope is stored', async () => {
		const byScope = () =>
			[SCOPE, OTHER_SCOPE].map((scope) =>
				Object.keys(parseTokenMap(shared({ scope }).mapToStore())),
			);
		await obtain({ held: stored('expiring', 10) });
		await obtain({ scope: OTHER_SCOPE });
		now += 11 * MINUTE_MS;
		expect(byScope()).toEqual([[OTHER_SCOPE], [OTHER_SCOPE]]);
		await obtain();
		revoke('t2');
		expect(byScope()).toEqual([[OTHER_SCOPE], [OTHER_SCOPE]]);
	});

	test('is stored once, but an older token or one from the credential is not stored again', async () => {
		await obtain({ held: stored('due', 8) });
		expect(shared().isUnstored).toBe(false);
		now += 4 * MINUTE_MS;
		const issue = answer;
		answer = busy;
		await obtain();
		expect(shared().isUnstored).toBe(false);
		now += MINUTE_MS;
		answer = issue;
		await obtain();
		expect(shared().isUnstored).toBe(true);
		shared().mapToStore();
		expect(shared().isUnstored).toBe(false);
	});
});

describe('another client', () => {
	test.each(['authUrl', 'authorizationServerId', 'clientId', 'clientSecret'])(
		'with another %s reuses neither a token of the process nor a stored one',
		async (key) => {
			await obtain();
			const held = shared().mapToStore();
			expect(await obtain({ [key]: 'https://new.example', held })).toBe('t2');
		},
	);

	test('does not share a request in flight', async () => {
		const issue = answer;
		answer = async (scope) => {
			const reply = await issue(scope);
			await new Promise(setImmediate);
			return reply;
		};
		const tokens = await Promise.all([obtain(), obtain({ clientSecret: 'another' })]);
		expect(tokens).toEqual(['t1', 't2']);
	});
});

describe('a renewal that fails', () => {
	beforeEach(() => {
		answer = busy;
	});

	test('keeps a token that is still valid, and postpones the next renewal', async () => {
		expect(await obtain({ held: stored('old', 3) })).toBe('old');
		now += 29_000;
		expect(await obtain()).toBe('old');
		expect(asked).toHaveLength(1);
		now += 1_000;
		expect(await obtain()).toBe('old');
		expect(asked).toHaveLength(2);
	});

	test.each<[string, () => Changes]>([
		['has expired', () => ({ held: stored('old', 0) })],
		['will not do', () => ({ held: stored('old', 3), not: 'old' })],
		[
			'is of a previous client',
			() => ({ held: stored('old', 30, SCOPE, { clientSecret: 'previous' }) }),
		],
	])('fails the request if the token %s', async (_, changes) => {
		await expect(obtain(changes())).rejects.toMatchObject({ kind: 'token', isTransient: true });
	});

	test('fails if the token expired while the server was being asked', async () => {
		answer = async () => {
			now += 4 * MINUTE_MS;
			return await busy();
		};
		await expect(obtain({ held: stored('old', 3) })).rejects.toThrow(ServiceFailure);
	});

	test('does not hide a programming error', async () => {
		answer = async () => await Promise.reject(new TypeError('bug'));
		await expect(obtain({ held: stored('old', 3) })).rejects.toThrow('bug');
	});
});

describe('a token the service revoked', () => {
	test('is never used or accepted again, and is replaced by one token for all requests', async () => {
		const held = stored('old', 30);
		expect(await obtain({ held })).toBe('old');
		revoke('old');
		const tokens = await Promise.all(
			Array.from({ length: 8 }, async () => await obtain({ held })),
		);
		expect(new Set(tokens)).toEqual(new Set(['t1']));
		// Other requests with the old token were still in flight. They also report that the token is revoked.
		revoke('old');
		expect(await obtain({ held })).toBe('t1');
	});

	test('counts once, however many requests were signed with it', async () => {
		const hint = jest.fn();
		const readStored = async () => ({});
		const token = SharedToken.forScope(clientOf(), SCOPE, {
			readStored,
			sleep: async () => {},
			random: () => 0,
			hint,
		});
		const revoked = await token.obtain(send, () => true);
		for (let request = 1; request <= 9; request++) token.markRevoked(revoked);
		expect(hint).not.toHaveBeenCalled();
	});

	test.each([
		[6 * MINUTE_MS, [500, 500, 500, 500, 500, 500], 0],
		[4 * MINUTE_MS, [500, 1_000, 2_000, 4_000, 8_000, 10_000], 1],
	])(
		'after %d ms each: the pauses and the hint depend on how long the tokens lasted',
		async (lifetimeMs, expected, hints) => {
			const hint = jest.fn();
			const pauses: number[] = [];
			const token = SharedToken.forScope(clientOf(), SCOPE, {
				readStored: async () => ({}),
				sleep: async (ms) => void pauses.push(ms),
				random: () => 0,
				hint,
			});
			while (pauses.length < expected.length) {
				const issued = await token.obtain(send, () => true);
				now += lifetimeMs;
				token.markRevoked(issued);
				await token.signingData(fields);
			}
			expect(pauses).toEqual(expected);
			expect(hint).toHaveBeenCalledTimes(hints);
		},
	);

	test('is not used even when the renewal fails', async () => {
		await obtain();
		revoke('t1');
		answer = busy;
		await expect(obtain()).rejects.toThrow(ServiceFailure);
	});

	test('is replaced by any other stored token, even if clocks differ', async () => {
		await obtain({ held: stored('ahead', 90) });
		revoke('ahead');
		expect(await obtain({ held: stored('behind', 30) })).toBe('behind');
		expect(asked).toEqual([]);
	});
});

test('a credential with an empty field fails with the name of the field, without a request', async () => {
	await expect(obtain({ clientSecret: '' })).rejects.toThrow(InputError);
	await expect(obtain({ authUrl: 'nonsense' })).rejects.toThrow("'Token Server URL'");
	await expect(obtain({ scope: '' })).rejects.toThrow("'Custom Scope' is empty");
	expect(asked).toEqual([]);
});
