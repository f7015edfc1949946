import { Expression } from 'n8n-workflow';

/** n8n's ways to evaluate expressions; `vm` is what n8n uses unless told otherwise. */
export type ExpressionEngine = 'legacy' | 'quickjs' | 'vm';

/**
 * Evaluates all expressions of this process with one of n8n's engines, with n8n's own settings. `vm`
 * needs the native module isolated-vm, which has binaries for Node 24 only.
 */
export async function useExpressionEngine(engine: ExpressionEngine): Promise<void> {
	await Expression.initExpressionEngine({
		engine,
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
	});
}
