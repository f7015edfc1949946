const { TestEnvironment } = require('jest-environment-node');

/**
 * Runs all test files of a worker in the same context, together with packages-once.cjs. Each package is loaded once
 * per worker, which saves a second in each file that uses n8n. Packages and tests also share classes such as Error
 * and Array. Test files, and the files that they test, are still loaded each time.
 *
 * n8n reads its settings only once. If a test file changes these settings, it needs n8n for itself, so it declares
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
		// Tests receive a copy of process.env, so that no test file can change it for later files.
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

	/** Removes what the test file has added to the global object. */
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
