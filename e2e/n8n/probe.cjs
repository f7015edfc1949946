/*
 * Loaded into n8n to measure it, on the port of PROBE_PORT:
 * `POST /` collects garbage and starts anew, `GET /` returns the blocks of the event loop since then,
 * each with the processor time of the main thread within it.
 * `POST /profile` starts a CPU profile, `GET /profile` ends and returns it.
 */
const { createServer } = require('node:http');
const { Session } = require('node:inspector/promises');
const { performance } = require('node:perf_hooks');
const v8 = require('node:v8');
const vm = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const TICK_MS = 5;
/** Shorter ones are of no interest. */
const LEAST_BLOCK_MS = 10;
const SAMPLE_MICROSECONDS = 500;

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

const cpuMs = () => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
};

/** @type {Array<{ endedAt: number, ms: number, cpuMs: number }>} */
let blocks = [];
let last = { now: performance.now(), cpuMs: cpuMs() };
setInterval(() => {
	const next = { now: performance.now(), cpuMs: cpuMs() };
	const ms = next.now - last.now - TICK_MS;
	if (ms >= LEAST_BLOCK_MS) {
		blocks.push({ endedAt: Date.now(), ms, cpuMs: next.cpuMs - last.cpuMs });
	}
	last = next;
}, TICK_MS).unref();

/** @type {Session | undefined} */
let session;

async function startProfile() {
	session = new Session();
	session.connect();
	await session.post('Profiler.enable');
	await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
	await session.post('Profiler.start');
	return {};
}

async function endProfile() {
	if (!session) return {};
	const { profile } = await session.post('Profiler.stop');
	session.disconnect();
	session = undefined;
	return profile;
}

async function reset() {
	collectGarbage();
	// What the collection itself took is seen with the next tick.
	await new Promise((resolve) => setTimeout(resolve, 4 * TICK_MS));
	blocks = [];
	return {};
}

/** @param {string} request method and path */
async function answerTo(request) {
	if (request === 'POST /profile') return await startProfile();
	if (request === 'GET /profile') return await endProfile();
	return request.startsWith('POST') ? await reset() : { blocks };
}

const server = createServer((request, response) => {
	answerTo(`${request.method} ${request.url}`).then(
		(answer) => response.end(JSON.stringify(answer)),
		(error) => response.writeHead(500).end(String(error)),
	);
});
// n8n's worker threads load this file too.
if (isMainThread) server.listen(Number(process.env.PROBE_PORT), '127.0.0.1');
server.unref();
