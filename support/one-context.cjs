const { AsyncLocalStorage } = require('node:async_hooks');

const { TestEnvironment } = require('jest-environment-node');

const { run, getStore } = AsyncLocalStorage.prototype;
/**
 * The running test or hook, in the storage in which Jest keeps it. Tests run one after another, so a variable is enough.
 * A real storage would slow down every promise of the test.
 *
 * @type {{ storage?: AsyncLocalStorage<unknown>, store?: { test?: unknown } }}
 */
let running = {};
/**
 * @param {{ test?: unknown }} store
 * @param {(...args: unknown[]) => unknown} callback
 * @param {unknown[]} args
 */
AsyncLocalStorage.prototype.run = function (store, callback, ...args) {
	if (!store || !('test' in store)) return run.call(this, store, callback, ...args);
	const before = running;
	running = { storage: this, store };
	return Promise.resolve(callback(...args)).finally(() => (running = before));
};
AsyncLocalStorage.prototype.getStore = function () {
	return this === running.storage ? running.store : getStore.call(this);
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
		for (const key of Reflect.ownKeys(globalThis)) {
			if (!(key in this.before)) Reflect.deleteProperty(globalThis, key);
		}
		Object.defineProperties(globalThis, this.before);
	}
}

module.exports = OneContext;
