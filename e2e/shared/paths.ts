import path from 'node:path';

export const ROOT = path.resolve(__dirname, '..', '..');

export const E2E = path.join(ROOT, 'e2e');

/** Files that may be deleted at any time: the packed tarball and logs. Not in git. */
export const CACHE = path.join(ROOT, '.cache', 'e2e');

/**
 * Contains n8n's user folder and the index that `npm start` uses. The folder is kept between runs and is not in git.
 */
export const DATA = path.join(E2E, '.n8n-data');

export const EXAMPLES = path.join(ROOT, 'examples');

export const QUEUE_WORKFLOWS_FOLDER = path.join(E2E, 'queue', 'workflows');

export const IMAGES = path.join(ROOT, 'docs', 'images');
