import type { RecordedRequest } from '../../sandbox';

export interface Asked {
	chunked: string[];
	pushed: string[];
	deleted: string[];
}

/** Collects what these requests asked of the service. Each list is in alphabetical order. */
export function askedIn(requests: RecordedRequest[]): Asked {
	const of = (route: RecordedRequest['route']) => requests.filter((one) => one.route === route);
	// A request that was reset at once has no body.
	const submitted = of('submit').flatMap(({ body }) => (body as Submission | undefined) ?? []);
	const pushed = of('push').flatMap(({ body = [] }) => body as Document | Document[]);
	return {
		chunked: submitted.flatMap(({ batch }) => batch.map(({ text }) => text)).sort(),
		pushed: pushed.map(({ id }) => id).sort(),
		deleted: of('delete')
			.map(({ path }) => decodeURIComponent(path.split('/').at(-1) ?? ''))
			.sort(),
	};
}

interface Submission {
	batch: Array<{ text: string }>;
}

interface Document {
	id: string;
}
