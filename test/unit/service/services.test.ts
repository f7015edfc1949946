import {
	AI_SERVICE,
	BLOB_SERVICE,
	PUSH_SERVICE,
	statusAdvice,
	type Service,
} from '../../../nodes/shared/service/services';

const inNode = (service: Service, status: number, scope?: string) =>
	statusAdvice(status, service, { isTest: false, scope });
const inTest = (service: Service, status: number) =>
	statusAdvice(status, service, { isTest: true });

const SERVICES = [AI_SERVICE, PUSH_SERVICE, BLOB_SERVICE];

it('a token that was just issued and is refused: the URL or the scope, not the client', () => {
	for (const advice of [inNode(AI_SERVICE, 401), inTest(AI_SERVICE, 401)]) {
		expect(advice).toMatch(/'AI Service URL'.*'Scope'/);
		expect(advice).not.toMatch(/Client/);
	}
});

it('a scope that does not suffice is named, with where it is set', () => {
	expect(inNode(AI_SERVICE, 403, 'machinelearning.model')).toMatch(
		/scope machinelearning\.model .*'Scope' in the node/,
	);
});

it.each([501, 505])('%i is not called busy', (status) => {
	for (const service of SERVICES) {
		const check = `Check '${service.urlLabel}'`;
		expect(inTest(service, status)).toBe(check);
		expect(inNode(service, status)).toMatch(/^Check .* does not support this request/);
		expect(inNode(service, status)).toContain(check);
	}
});

it.each([408, 500, 502, 503, 504])('%i may pass', (status) => {
	for (const service of [AI_SERVICE, PUSH_SERVICE]) {
		expect(inNode(service, status)).toMatch(/try again later$/);
	}
	// A migration may be running: nothing must suggest to start it again.
	expect(inNode(BLOB_SERVICE, status)).toMatch(/check its log and the manifests$/);
});

it('413 does not ask for what the node has done', () => {
	for (const service of SERVICES) {
		expect(inNode(service, 413)).toMatch(/^The service accepts no request of this size/);
	}
	expect(inNode(AI_SERVICE, 413)).toMatch(/split already: split the text before this node$/);
	expect(inNode(PUSH_SERVICE, 413)).toMatch(/split already: shorten the document, .* chunk it/);
});

it('what was sent: the parameters that are likely wrong', () => {
	expect(inNode(AI_SERVICE, 400)).toMatch(/'Model ID'.*'Chunker'/);
	expect(inNode(PUSH_SERVICE, 422)).toMatch(/what the service says.*the document$/);
	expect(inNode(BLOB_SERVICE, 409)).toBe("Check 'Blob Service URL' in the credential");
});

it('the test of a credential names no field "in the credential"', () => {
	for (const service of SERVICES) {
		for (const status of [302, 400, 401, 403, 404, 405, 413, 422, 429, 500, 501]) {
			if (service === AI_SERVICE && status !== 401 && status !== 403) continue;
			expect(inTest(service, status)).not.toMatch(/in the credential|in the node|\.$/);
		}
	}
});
