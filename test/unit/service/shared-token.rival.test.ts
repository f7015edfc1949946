import { SharedToken } from '../../../nodes/shared/service/tokens/shared-token';
import { parseClient } from '../../../nodes/shared/service/tokens/token';

const SCOPE = 'machinelearning.predict';
const fields = {
	authUrl: 'https://identity.example',
	authorizationServerId: 'aus1',
	clientId: 'me',
	clientSecret: 's3cret',
	accessTokens: '',
};

let now: number;
/** The token that the service accepts. Issuing another token revokes it. */
let valid: string;
let issued: number;
let hints: string[];
let stored: typeof fields;

beforeEach(() => {
	now = 1_000_000;
	valid = '';
	issued = 0;
	hints = [];
	stored = fields;
	SharedToken.states.clear();
	jest.spyOn(Date, 'now').mockImplementation(() => now);
});

const issue = async () => {
	issued += 1;
	valid = `t${issued}`;
	const body = { token_type: 'Bearer', expires_in: 3600, access_token: valid, scope: SCOPE };
	return { status: 200, body };
};

/** Sends requests one after the other, as the nodes and n8n do. Returns the number of accepted requests. */
async function run(requests: number, beforeEach = () => {}): Promise<number> {
	const token = SharedToken.forScope(parseClient(fields), SCOPE, {
		readStored: async () => stored,
		sleep: async (ms) => void (now += ms),
		random: () => 0.5,
		hint: (message) => void hints.push(message),
	});
	let accepted = 0;
	for (let request = 1; request <= requests; request++) {
		beforeEach();
		for (;;) {
			const data: Record<string, unknown> = await token.signingData(fields);
			if (data.accessTokens === '') {
				await token.obtain(issue, () => true);
				data.accessTokens = token.mapToStore();
				stored = { ...stored, accessTokens: token.mapToStore() };
			}
			const used = SharedToken.findIn(data);
			if (used === undefined) throw new Error('No token');
			now += 100;
			if (used.accessToken === valid) {
				accepted += 1;
				break;
			}
			token.markRevoked(used);
			token.markRevoked(used);
		}
	}
	return accepted;
}

test('a run continues while another program with the same client keeps requesting tokens', async () => {
	let nextAt = now;
	const revoking = () => {
		if (now < nextAt) return;
		void issue();
		nextAt = now + 15_000;
	};
	expect(await run(1500, revoking)).toBe(1500);
	expect(hints).toEqual([
		expect.stringMatching(/^The AI service rejected several access tokens in a row/),
	]);
});
