/** The routes that faults, records and statistics are kept for. */
export const ROUTE_NAMES = [
	'token',
	'submit',
	'results',
	'push',
	'delete',
	'convert',
	'blobs',
	'rules',
	'search',
	'files',
] as const;

/** One of them. */
export type RouteName = (typeof ROUTE_NAMES)[number];
