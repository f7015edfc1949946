import path from 'node:path';

/** The repository. */
export const ROOT = path.resolve(__dirname, '..', '..');

/** The private sub-package that holds n8n. */
export const E2E = path.join(ROOT, 'e2e');

/** Whether to run the oldest n8n the package works with. */
export const ON_OLD_N8N = process.argv.includes('--old-n8n');

/** The sub-package with the n8n to run. */
export const N8N_FOLDER = ON_OLD_N8N ? path.join(E2E, 'n8n-1.123') : E2E;

/** What may be deleted at any time: the packed tarball, logs. Not in git. */
export const CACHE = path.join(ROOT, '.cache', 'e2e');

/** n8n's user folder and the index of `npm start`, kept between runs. Not in git. */
export const DATA = path.join(N8N_FOLDER, '.n8n-data');

/** The example workflows. */
export const EXAMPLES = path.join(ROOT, 'examples');

/** The workflows that only the queue mode test needs. */
export const QUEUE_WORKFLOWS_FOLDER = path.join(E2E, 'queue', 'workflows');

/** The pictures of the documentation. */
export const IMAGES = path.join(ROOT, 'docs', 'images');
