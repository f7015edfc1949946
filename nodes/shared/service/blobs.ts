/** Path of a migration of blob manifests (docs/service-interface.md, Blobs). */
export const CONVERT_PATH = '/blobs/convert';
