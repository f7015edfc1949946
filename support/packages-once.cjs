const { createRequire, isBuiltin } = require('node:module');
const { compileFunction, constants } = require('node:vm');

const { default: Runtime } = require('jest-runtime');

/** Packages that some Node.js versions cannot require, and packages that jest itself provides. */
const JEST_LOADS = /^(stream-json|stream-chain|@jest\/globals)(\/|$)/;

/**
 * Lets Node.js itself load each package once per worker. All other files are loaded for each test file. This class
 * requires the environment in one-context.cjs.
 */
class PackagesOnce extends Runtime {
	/** @param {ConstructorParameters<typeof Runtime>} args */
	constructor(...args) {
		super(...args);
		this.isOneContext = this._environment.global === globalThis;
		if (!this.isOneContext) return;
		const { executor } = this;
		executor.compile = (source, filename) =>
			compileFunction(source, executor.injectedModuleParameters, {
				filename,
				importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
			});
	}

	/** @param {string} name */
	isShared(name) {
		return (
			this.isOneContext && !/^[./]/.test(name) && !isBuiltin(name) && !JEST_LOADS.test(name)
		);
	}

	/**
	 * @param {string} from
	 * @param {string} name
	 */
	requireModuleOrMock(from, name) {
		return this.isShared(name)
			? createRequire(from)(name)
			: super.requireModuleOrMock(from, name);
	}

	/**
	 * @param {string} from
	 * @param {string} name
	 */
	requireActual(from, name) {
		return this.isShared(name) ? createRequire(from)(name) : super.requireActual(from, name);
	}
}

module.exports = PackagesOnce;
