/** Tests that Migrate Blobs sends its request only after the user has confirmed it, and never twice. */
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { MIGRATE_ACTION } from '../../nodes/shared/service/outcome-messages';
import { Run } from '../../nodes/shared/run/run';
import { PATHS } from '../../nodes/shared/service/url';
import { type FaultRule } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { eventually } from '../../support/eventually';
import {
	TO_ERROR_OUTPUT,
	HANGS,
	indexes,
	jsonOf,
	nodeRunner,
	pairedIndexes,
	shown,
	stopped,
	useSandbox,
} from '../../support/sandbox';
import { maybeDone, naming } from '../../support/wording';

const sandbox = useSandbox();
const LOGIN = { user: 'admin', password: 'p:wörd' };
const locked = useSandbox({ blobAuth: LOGIN });
const migrate = nodeRunner(new MigrateBlobs(), () => sandboxCredentials(sandbox()));

const CONFIRMED = { confirm: true };
const fault = (rule: Omit<FaultRule, 'route'>) =>
	sandbox().faults.add({ route: 'convert', ...rule });
const items = (count: number) => indexes(count).map((at) => ({ at }));

describe('a migration', () => {
	it.each([[{}], [{ confirm: false }]])(
		'is not sent until it is confirmed: %j',
		async (parameters) => {
			const { error } = await migrate(items(2), parameters);
			expect(error).toMatchObject({
				name: 'NodeOperationError',
				message: "'Confirm Migration' is off, so nothing was migrated",
			});
			expect(error?.description).toMatch(/Turn it on/);
			const result = await migrate(items(2), parameters, TO_ERROR_OUTPUT);
			expect(pairedIndexes(result)).toEqual([0, 1]);
			expect(result.output).toEqual([]);
			expect(sandbox().requests).toEqual([]);
		},
	);

	it.each([
		['={{ "true" }}', '"true"'],
		['={{ "false" }}', '"false"'],
		['={{ null }}', 'null'],
		['={{ $json.missing }}', 'undefined'],
		[1, '1'],
	])('is not confirmed by %j', async (confirm, shown) => {
		const { error } = await migrate(items(1), { confirm });
		expect(error?.message).toEqual(naming("'Confirm Migration'", shown));
		expect(sandbox().requests).toEqual([]);
	});

	it('is one PUT without a body or authentication, and an empty response is a success', async () => {
		const { output, hints } = await migrate(items(1), CONFIRMED);
		expect(sandbox().requests).toHaveLength(1);
		const [request] = sandbox().requests;
		expect(request).toMatchObject({
			method: 'PUT',
			path: `/api${PATHS.convert}`,
			query: {},
			bodyBytes: 0,
			status: 200,
		});
		expect(request.headers).not.toHaveProperty('authorization');
		expect(output).toEqual([
			{ json: { accepted: true, status: 200 }, pairedItem: [{ item: 0 }] },
		]);
		const message = "The migration was accepted. Turn off 'Confirm Migration' again.";
		expect(hints).toEqual([expect.objectContaining({ type: 'info', message })]);
	});

	it('runs once for any number of input items, and returns one item', async () => {
		const { output, input } = await migrate(items(5), CONFIRMED);
		expect(sandbox().requests).toHaveLength(1);
		expect(output).toHaveLength(1);
		expect(output[0].pairedItem).toEqual(indexes(5).map((item) => ({ item })));
		expect(jsonOf(input)).toEqual(items(5));
	});

	it.each<[string, Omit<FaultRule, 'route'>, unknown]>([
		['JSON', { status: 200, body: '{"converted":3}' }, { converted: 3 }],
		['text', { status: 202, body: 'ERROR: cannot convert' }, 'ERROR: cannot convert'],
		['nothing', { status: 204 }, undefined],
	])('passes the response on: %s', async (_case, rule, body) => {
		fault(rule);
		const { output } = await migrate(items(1), CONFIRMED);
		expect(output[0].json.accepted).toBe(true);
		expect(output[0].json.response).toEqual(body);
	});

	const denied = (body: object) => ({ status: 200, body: JSON.stringify(body) });
	it.each<[string, Omit<FaultRule, 'route'>, string]>([
		['an HTML page', { html: true }, 'HTML'],
		['success: false', denied({ success: false, message: 'disk full' }), '"disk full"'],
		['errors', denied({ errors: ['disk full'] }), '"disk full"'],
	])(
		'has an unknown outcome after a 200 with %s, and is not repeated',
		async (_case, rule, reason) => {
			fault(rule);
			const { output } = await migrate(items(2), CONFIRMED, {
				onError: 'continueRegularOutput',
			});
			expect(sandbox().requests).toHaveLength(1);
			expect(output[0].json.error).toEqual(naming(reason, maybeDone(MIGRATE_ACTION)));
		},
	);

	it('authenticates with user and password', async () => {
		const baseUrl = `${locked().urls.baseUrl}/`;
		const lucidworksBlobApi = { baseUrl, authentication: 'basic', ...LOGIN };
		const { run, output } = await migrate(items(1), CONFIRMED, {
			credentials: { lucidworksBlobApi },
		});
		expect(jsonOf(output)).toMatchObject([{ accepted: true }]);
		const whole = JSON.stringify(run);
		expect(whole).not.toContain(LOGIN.password);
		const encoded = Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64');
		expect(whole).not.toContain(encoded);
	});
});

it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'each item of a migration that failed is returned with the error: %s',
	async (onError) => {
		fault({ status: 500 });
		const result = await migrate(items(3), CONFIRMED, { onError });
		expect(sandbox().requests).toHaveLength(1);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		for (const { json } of [...result.output, ...result.errorOutput]) {
			expect(json).toMatchObject({
				httpStatus: 500,
				error: naming(maybeDone(MIGRATE_ACTION)),
			});
		}
	},
);

it('Retry On Fail must be off, because n8n would repeat a migration that may still be running', async () => {
	const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const { error } = await migrate(items(2), CONFIRMED, retry);
	expect(error?.message).toBe("'Retry On Fail' is on, so nothing was migrated");
	expect(sandbox().requests).toEqual([]);
});

it('Stop in the editor ends the wait for the response', async () => {
	fault(HANGS);
	const { error } = await stopped(
		sandbox(),
		[1],
		async (stop) => await migrate(items(2), CONFIRMED, stop),
	);
	expect(error?.message).toEqual(naming('canceled', MIGRATE_ACTION.repeating));
	expect(sandbox().requests).toHaveLength(1);
});

it('Stop before the request is sent does not say that a migration may be running', async () => {
	// The pause that the service asks for holds for all runs with the credential.
	fault({ status: 429, retryAfter: '60', times: 1 });
	const pauses: number[] = [];
	const { sleep } = Run.prototype;
	const watch = jest.spyOn(Run.prototype, 'sleep').mockImplementation(async function (
		this: Run,
		ms,
		wake,
	) {
		if (ms > 30_000 && Number.isFinite(ms)) pauses.push(ms);
		await sleep.call(this, ms, wake);
	});
	const pausing = async (count: number) =>
		await eventually(
			() => pauses.length >= count,
			() => [...pauses, ...shown(sandbox())],
		);
	let stop = () => {};
	const first = migrate(items(1), CONFIRMED, {
		cancelWhen: new Promise<void>((resolve) => (stop = resolve)),
	});
	await pausing(1);
	const { error, status } = await migrate(items(1), CONFIRMED, { cancelWhen: pausing(2) });
	watch.mockRestore();
	stop();
	expect(status).toBe('canceled');
	expect(error?.message).not.toContain(MIGRATE_ACTION.repeating);
	await first;
	expect(sandbox().requests).toHaveLength(1);
});

it.each([
	['none', LOGIN, false],
	['none', { user: '', password: '' }, false],
	['basic', LOGIN, true],
	['basic', { user: '', password: 'only' }, true],
])(
	'Authentication %s sends a login or none, whatever the hidden fields contain: %j',
	async (authentication, login, isSent) => {
		const all = sandboxCredentials(sandbox());
		const lucidworksBlobApi = { ...all.lucidworksBlobApi, authentication, ...login };
		const run = nodeRunner(new MigrateBlobs(), () => ({ ...all, lucidworksBlobApi }));
		await run(items(1), CONFIRMED);
		expect(sandbox().requests.map(({ headers }) => 'authorization' in headers)).toEqual([
			isSent,
		]);
	},
);
