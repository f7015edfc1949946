import { ServiceFailure } from '../../../nodes/shared/service/failure';
import {
	adviceForIsolated,
	AI_SERVICE,
	BLOB_SERVICE,
	PUSH_SERVICE,
	statusAdvice,
	statusFailure,
	type Service,
} from '../../../nodes/shared/service/service-definitions';

const inNode = (service: Service, status: number) => statusAdvice({ status, body: '' }, service);
const inTest = (service: Service, status: number) =>
	statusAdvice({ status, body: '' }, service, true);

const SERVICES = [AI_SERVICE, PUSH_SERVICE, BLOB_SERVICE];

it('if a new token is refused, the advice names the URL or the scope, not the client', () => {
	for (const advice of [inNode(AI_SERVICE, 401), inTest(AI_SERVICE, 401)]) {
		expect(advice).toMatch(/'AI Service URL'.*'Scope'/);
		expect(advice).not.toMatch(/Client/);
	}
});

it('if the scope is not sufficient, the advice says where it is set', () => {
	expect(inNode(AI_SERVICE, 403)).toMatch(/'Scope' in the node/);
	expect(inTest(AI_SERVICE, 403)).not.toMatch(/in the node/);
});

it.each([501, 505])('%i is not described as busy', (status) => {
	for (const service of SERVICES) {
		expect(inNode(service, status)).toMatch(/^Check .* does not support this request/);
		expect(inNode(service, status)).toContain(`Check '${service.urlLabel}'`);
	}
});

it.each([408, 500, 502, 503, 504])('%i may be temporary', (status) => {
	for (const service of [AI_SERVICE, PUSH_SERVICE]) {
		expect(inNode(service, status)).toMatch(/try again later(?:$|\. If)/);
	}
	// A migration might still be running, so the advice must not tell the user to start another one.
	expect(inNode(BLOB_SERVICE, status)).toMatch(/check its log and the manifests$/);
});

it.each([401, 403, 500, 501, 503, 504])(
	'%i may be an incident of the vendor, among other causes',
	(status) => {
		for (const advice of [inNode, inTest]) {
			for (const service of [AI_SERVICE, PUSH_SERVICE])
				expect(advice(service, status)).toMatch(
					/[\w']\. If it worked before, see status\.lucidworks\.com$/,
				);
			// The user runs the blob service, so the vendor's status page does not help.
			expect(advice(BLOB_SERVICE, status)).not.toContain('status.lucidworks.com');
		}
	},
);

it('429 names the parameter that lowers the number of requests', () => {
	for (const service of SERVICES)
		for (const advice of [inNode, inTest])
			expect(advice(service, 429)).toMatch(/lower 'Concurrency'.*, or try again later$/);
});

it('304 is not described as a moved URL', () => {
	const { description } = statusFailure(PUSH_SERVICE, { status: 304, body: '' });
	expect(description).not.toContain('moved');
	expect(description).toMatch(/.{15}/);
});

it.each([400, 404, 407, 408, 413, 422, 429, 302])('%i does not suggest an incident', (status) => {
	for (const service of SERVICES)
		expect(inNode(service, status)).not.toContain('status.lucidworks.com');
});

it('if the gateway denies access, the advice names neither the key nor the scope', () => {
	for (const service of [AI_SERVICE, PUSH_SERVICE]) {
		for (const body of ['RBAC: access denied', { message: 'RBAC: access denied' }]) {
			for (const isTest of [false, true]) {
				const advice = statusAdvice({ status: 403, body }, service, isTest);
				expect(advice).toMatch(/^A gateway in front of the service rejected the request/);
				expect(advice).toMatch(/see status\.lucidworks\.com$/);
				expect(advice).not.toMatch(/key|scope|credential|firewall/i);
			}
		}
	}
});

it('if only one document or text fails, the advice is to check it', () => {
	for (const [service, entry] of [
		[AI_SERVICE, 'text'],
		[PUSH_SERVICE, 'document'],
	] as const) {
		const failure = statusFailure(service, { status: 500, body: 'Analysis failed' });
		expect(failure.description).toMatch(/busy or down.*status\.lucidworks\.com\.$/);
		const isolated = failure.forIsolatedEntry();
		expect(isolated.message).toBe(failure.message);
		expect(isolated).toMatchObject({ httpStatus: 500, isOutcomeUnknown: true });
		expect(isolated.description).toBe(`${adviceForIsolated(service)}.`);
		expect(isolated.description).toMatch(new RegExp(`check the ${entry}`));
		expect(isolated.description).not.toMatch(/busy|status\.lucidworks\.com/);
	}
});

it('a failure that says nothing about the entry keeps its advice', () => {
	const denied = statusFailure(PUSH_SERVICE, { status: 403, body: '' });
	expect(denied.forIsolatedEntry()).toBe(denied);
	const reset = new ServiceFailure('The connection closed', { kind: 'transport' });
	expect(reset.forIsolatedEntry()).toBe(reset);
});

it('after 413, the advice does not ask for a split that the node has already tried', () => {
	for (const service of SERVICES) {
		expect(inNode(service, 413)).toMatch(/^The request is too large for the service/);
	}
	expect(inNode(AI_SERVICE, 413)).toMatch(/already split, so split the text before this node$/);
	expect(inNode(PUSH_SERVICE, 413)).toMatch(
		/already split\. Shorten the document, .* chunk the document/,
	);
});

it('the advice depends on the request and names the parameters that are likely wrong', () => {
	expect(inNode(AI_SERVICE, 400)).toMatch(/'Model ID'.*'Chunker'/);
	expect(inNode(PUSH_SERVICE, 422)).toMatch(/what the service says.*the document and its ID$/);
	expect(inNode(BLOB_SERVICE, 409)).toBe("Check 'Blob Service URL' in the credential");
});

it.each<[number | undefined, string]>([
	[undefined, ''],
	[300_000, ''],
	[300_001, ' and asks to wait 6 minutes'],
	[86_400_000, ' and asks to wait 24 hours'],
])('after Retry-After of %s ms the message says when to try again', (retryAfterMs, wait) => {
	const failure = statusFailure(PUSH_SERVICE, {
		status: 429,
		body: { message: 'slow down' },
		retryAfterMs,
	});
	expect(failure.message).toBe(`The push service answered with status 429${wait}, "slow down"`);
	expect(failure).toMatchObject({ httpStatus: 429, retryAfterMs });
});

it.each([
	['<html>No</html>', true],
	['default backend - 404', true],
	['', false],
	[{ message: 'No such document' }, false],
])('distinguishes text, which may come from a proxy, from JSON: %j', (body, isText) => {
	expect(statusFailure(PUSH_SERVICE, { status: 404, body })).toMatchObject({ isText });
});
