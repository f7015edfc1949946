import fc from 'fast-check';

import { runs } from './runs';

// n8n reads its settings when it is first loaded, so they are set here.
process.env.N8N_LOG_LEVEL ??= 'silent';
// Tests must not depend on the machine's proxy settings. Every server that a test uses is local.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
	delete process.env[name];
	delete process.env[name.toLowerCase()];
}
// 100 is fast-check's own default.
fc.configureGlobal({ numRuns: runs(100) });
