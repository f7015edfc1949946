/*
 * Loaded into n8n to measure it: answers on the port of PROBE_PORT with the longest block of the
 * event loop since the last reset. `POST /reset` collects garbage and starts anew.
 */
const { createServer } = require('node:http');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const v8 = require('node:v8');
const vm = require('node:vm');

const RESOLUTION_MS = 5;

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

const server = createServer((request, response) => {
	if (request.method === 'POST') {
		collectGarbage();
		// What the collection itself took is recorded with the next tick.
		setTimeout(() => {
			delays.reset();
			response.end('{}');
		}, 4 * RESOLUTION_MS);
		return;
	}
	const longestBlockMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
	response.end(JSON.stringify({ longestBlockMs }));
});
server.listen(Number(process.env.PROBE_PORT), '127.0.0.1');
server.unref();
