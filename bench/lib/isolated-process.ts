async function main(): Promise<void> {
	const [file, parameters] = process.argv.slice(2);
	const task = (await import(file)) as { run: (parameters: unknown) => Promise<unknown> };
	const result = await task.run(JSON.parse(parameters));
	process.send?.({ result }, () => process.exit(0));
}

main().catch((error: Error) => {
	console.error(error);
	process.exit(1);
});
