/* Loaded into n8n, so that n8n ends if the command that started it is killed. */
const parent = process.ppid;
setInterval(() => {
	if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, 1000).unref();
