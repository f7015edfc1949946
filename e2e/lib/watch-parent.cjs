/** Preloaded into n8n: should the start script be killed outright, n8n must not live on alone. */
const parent = process.ppid;
setInterval(() => {
	if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, 1000).unref();
