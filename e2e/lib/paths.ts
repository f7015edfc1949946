import path from 'node:path';

/** The repository. */
export const ROOT = path.resolve(__dirname, '..', '..');

/** The private sub-package that holds n8n. */
export const E2E = path.join(ROOT, 'e2e');

/** Things that may be deleted at any time: the packed tarball, logs. Not in git. */
export const CACHE = path.join(ROOT, '.cache', 'e2e');

/** n8n's user folder and the sandbox's index of `npm start`, kept between runs. Not in git. */
export const DATA = path.join(E2E, '.n8n-data');

/** The workflow templates. */
export const EXAMPLES = path.join(ROOT, 'examples');
