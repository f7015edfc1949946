const { AsyncLocalStorage } = require('node:async_hooks');

const { TestEnvironment } = require('jest-environment-node');

/**
 * The storages that were used since the test file began. Jest makes one for each test file, and each of them would
 * slow down every promise of all later test files.
 *
 * @type {Set<AsyncLocalStorage<unknown>>}
 */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
	storages.add(this);
	return run.apply(this, args);
};

/**
 * Runs test files in the worker's own context, so that packages-once.cjs needs to load each package only once per
 * worker. This saves a second for each file that uses n8n's engine. Packages and tests share the same Error and Array
 * classes. The tests and the tested code are still loaded again for each test file.
 *
 * n8n reads its settings once. A test file that changes these settings needs its own n8n instance, so it declares
 * `@jest-environment node`.
 */
class OneContext extends TestEnvironment {
	/**
	 * @param {import('@jest/environment').JestEnvironmentConfig} config
	 * @param {import('@jest/environment').EnvironmentContext} context
	 */
	constructor(config, context) {
		super(config, context);
		this.before = Object.getOwnPropertyDescriptors(globalThis);
		// Tests see a copy of process.env, so that one test file's changes do not affect later test files.
		const { process: value } = this.global;
		Object.defineProperty(globalThis, 'process', { value, writable: true, configurable: true });
		this.global = globalThis;
		const { ModuleMocker } = require('jest-mock');
		const { ModernFakeTimers } = require('@jest/fake-timers');
		this.moduleMocker = new ModuleMocker(globalThis);
		this.fakeTimersModern = new ModernFakeTimers({
			config: config.projectConfig,
			global: globalThis,
		});
	}

	async teardown() {
		this.moduleMocker.restoreAllMocks();
		await super.teardown();
		for (const storage of storages) storage.disable();
		storages.clear();
		for (const key of Reflect.ownKeys(globalThis)) {
			if (!(key in this.before)) Reflect.deleteProperty(globalThis, key);
		}
		Object.defineProperties(globalThis, this.before);
	}
}

module.exports = OneContext;
