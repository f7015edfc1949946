const { createRequire, isBuiltin } = require('node:module');
const { constants, Script } = require('node:vm');

const { default: Runtime } = require('jest-runtime');

/** Packages that some Node.js versions cannot require, and packages that jest itself provides. */
const JEST_LOADS = /^(stream-json|stream-chain|@jest\/globals)(\/|$)/;

/**
 * The compiled code of each file. The key is the file's name.
 *
 * @type {Map<string, { source: string, script: Script }>}
 */
const compiled = new Map();

/**
 * Lets Node.js itself load each package once per worker. All other files are compiled once per worker, but run again
 * for each test file. This class requires the environment in one-context.cjs.
 */
class PackagesOnce extends Runtime {
	/** @param {ConstructorParameters<typeof Runtime>} args */
	constructor(...args) {
		super(...args);
		this.isOneContext = this._environment.global === globalThis;
		if (!this.isOneContext) return;
		const { executor } = this;
		const parameters = executor.injectedModuleParameters.join(', ');
		executor.compile = (source, filename) => {
			let known = compiled.get(filename);
			if (known?.source !== source) {
				const script = new Script(`(function (${parameters}) {${source}\n})`, {
					filename,
					importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
				});
				known = { source, script };
				compiled.set(filename, known);
			}
			return known.script.runInThisContext();
		};
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
