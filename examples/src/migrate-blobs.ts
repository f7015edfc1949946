import { CREDENTIALS, manualTrigger } from './parts/nodes';
import { node, note, workflow } from './parts/workflow';

export default workflow(
	'Migrate Blobs',
	[
		note(
			'Note',
			`## Migrate blob manifests

Converts the blob manifests of a 3.x installation to the 4.x format. An administrator does this **once** after an upgrade. This cannot be undone, and the interface marks it as deprecated.

**Change these**
1. Back up the installation.
2. *Migrate Blobs*: select your credential.
3. *Migrate Blobs*: turn on *Confirm Migration*.

The node sends one request for all items together.`,
			[-480, -160],
			[400, 340],
			7,
		),
		manualTrigger('Run by Hand', [0, -60]),
		node(
			'Migrate Blobs',
			'migrateBlobs',
			1,
			[220, -60],
			{},
			{ credentials: CREDENTIALS.blobs },
		),
	],
	[['Run by Hand', 'Migrate Blobs']],
);
