// n8n reads its settings when it is loaded, so they are set before.
process.env.N8N_LOG_LEVEL ??= 'silent';
// All servers in tests are local, so the machine's proxy must not be used.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
	delete process.env[name];
	delete process.env[name.toLowerCase()];
}
