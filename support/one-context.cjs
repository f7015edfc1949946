const { TestEnvironment } = require('jest-environment-node');

/**
 * Runs test files in the context of the worker itself. Together with packages-once.cjs, a package is loaded
 * once per worker instead of once per file (n8n's engine takes a second), its errors and lists are those of the
 * tests, and code runs as fast as anywhere else. Tests and what they test are still loaded for each file.
 *
 * n8n reads its settings once. A file that changes them needs an n8n of its own: `@jest-environment node`.
 */
class OneContext extends TestEnvironment {
	/**
	 * @param {import('@jest/environment').JestEnvironmentConfig} config
	 * @param {import('@jest/environment').EnvironmentContext} context
	 */
	constructor(config, context) {
		super(config, context);
		this.before = Object.getOwnPropertyDescriptors(globalThis);
		// A copy, so that what a file sets in process.env ends with it.
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

	/** Leaves the globals as they were. */
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
