/** Runs Delete Document as a prediction assumes it. */
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { push } from '../../support/sandbox-client';
import { nodeRunner } from '../../support/sandbox';
import { predictDelete, type DeleteGiven } from './delete';
import { compare, inputOf, optionsOf, ruleOf, seen, type Seen, type World } from './driver';
import type { Failure } from './model';

/** Runs the node and compares the run with the prediction. */
export async function runDelete(world: World, given: DeleteGiven): Promise<void> {
	const { sandbox, credentials, fault } = world;
	const { source, field, chunkCount, commit, ignoreNotFound, known } = given;
	const rule = ruleOf(given.fault);
	if (known)
		await push(
			sandbox(),
			known.map((id) => ({ id, name: id })),
		);
	sandbox().requests.length = 0;
	if (rule) fault('delete', { whenPathEndsWith: 'hit', ...rule });
	Object.assign(sandbox().settings, { unknownDeleteStatus: known ? 404 : 200 });
	const parameters = {
		idSource: source,
		...(source === 'item' && { documentId: `={{ $json[${JSON.stringify(field)}] }}` }),
		...(source === 'list' && { listField: field }),
		...(source === 'file' && { idField: field }),
		commit,
		options: {
			...optionsOf(given),
			ignoreNotFound,
			...(chunkCount !== '' && { chunkCount: `={{ $json[${JSON.stringify(chunkCount)}] }}` }),
		},
	};
	const run = nodeRunner(new DeleteDocument(), credentials);
	const result = await run(await inputOf(given, world.files), parameters, {
		onError: given.onError,
	});
	const sent = sandbox().requests.map(({ status, path, query }) => ({
		status,
		bytes: 0,
		content: decodeURIComponent(path.split('/').at(-1) ?? ''),
		...(query.commit === 'true' && { commit: true as const }),
	}));
	const real = await seen(given, source === 'file', result, world, sent);
	sandbox().reset();
	compare(withoutInvalidIds(real), predictDelete(structuredClone(given)));
}

/** Leaves out the IDs of failures whose ID is not valid. */
function withoutInvalidIds(real: Seen): Seen {
	const plain = ({ id, ...failure }: Failure): Failure =>
		failure.claim === 'invalid' || id === undefined ? failure : { ...failure, id };
	return {
		...real,
		failed: real.failed.map(({ of, json, failure }) => {
			const { failures, failedIds, ...others } = json;
			if (failure) return { of, json, failure: plain(failure) };
			const list = (failures as unknown as Failure[]).map(plain);
			const ids = (failedIds as string[]).filter((id) => list.some((one) => one.id === id));
			return { of, json: { ...others, failedIds: ids, failures: list as never } };
		}),
		files: real.files.map((file) => ({
			...file,
			failures: file.failures.map(({ record, ...failure }) => ({
				record,
				...plain(failure),
			})),
		})),
	};
}
