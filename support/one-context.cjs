const { TestEnvironment } = require('jest-environment-node');

/**
 * Runs test files in the context of the worker itself. Together with packages-once.cjs, this has three effects. A
 * package is loaded once per worker instead of once per file, which saves a second per file for n8n's engine. Errors
 * and lists that packages create have the same classes as in the tests. Code runs as fast as outside jest. Tests and
 * the files under test are still loaded for each test file.
 *
 * n8n reads its settings once. A file that changes these settings needs an n8n of its own: `@jest-environment node`.
 */
class OneContext extends TestEnvironment {
	/**
	 * @param {import('@jest/environment').JestEnvironmentConfig} config
	 * @param {import('@jest/environment').EnvironmentContext} context
	 */
	constructor(config, context) {
		super(config, context);
		this.before = Object.getOwnPropertyDescriptors(globalThis);
		// A copy, so that changes of a file to process.env end with the file.
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

	/** Restores the globals. */
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
