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

export type RouteName = (typeof ROUTE_NAMES)[number];
