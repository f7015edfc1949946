/** Runs Push Documents as a prediction assumes it. */
import type { INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { nodeRunner } from '../../support/sandbox';
import { compare, inputOf, optionsOf, ruleOf, seen, type World } from './driver';
import { predictPush, type PushGiven } from './push';

/** Returns an expression that reads a field. */
const read = (field: string): string =>
	field === ''
		? ''
		: `={{ $json${field
				.split('.')
				.map((name) => `?.[${JSON.stringify(name)}]`)
				.join('')} }}`;

/** Runs the node and compares the run with the prediction. */
export async function runPush(world: World, given: PushGiven): Promise<void> {
	const { sandbox, credentials, fault } = world;
	const push = nodeRunner(new PushDocuments(), credentials);
	const rule = ruleOf(given.fault);
	if (rule) fault('push', { whenBodyContains: 'hit', ...rule });
	Object.assign(sandbox().settings, {
		pushResponse: given.response,
		pushBodyLimitBytes: given.bodyLimit,
	});
	const result = await push(await inputOf(given, world.files), parametersOf(given), {
		onError: given.onError,
	});
	const sent = sandbox().requests.map(({ status, bodyBytes, body }) => ({
		status,
		bytes: bodyBytes,
		...(body !== undefined && { content: [body].flat() }),
	}));
	const real = await seen(given, given.source === 'file', result, world, sent);
	sandbox().reset();
	compare(real, predictPush(structuredClone(given)));
}

function parametersOf(given: PushGiven): INodeParameters {
	const {
		source,
		fields,
		text,
		additionalFields,
		excludeFields,
		dropEmpty,
		documentsPerRequest,
		bytesPerRequest,
	} = given;
	const additional = Object.entries(additionalFields).map(([name, value]) => ({ name, value }));
	const mapped = {
		documentId: read(fields.id),
		documentName: read(fields.name),
		documentDescription: read(fields.description),
		documentUrl: read(fields.url),
		documentText: read(text),
		includeOtherFields: given.includeOtherFields,
	};
	const named = {
		idField: fields.id,
		nameField: fields.name,
		descriptionField: fields.description,
		urlField: fields.url,
	};
	return {
		documentSource: source,
		...(source === 'fields' ? mapped : named),
		...(source === 'json' && { documentJson: '={{ $json.documents }}' }),
		...(additional.length > 0 && { additionalFields: { field: additional } }),
		...(source === 'file' &&
			given.items[0]?.file?.listPath && { listPath: given.items[0].file.listPath }),
		options: {
			...optionsOf(given),
			excludeFields: excludeFields.join(),
			dropEmpty,
			documentsPerRequest,
			bytesPerRequest,
		},
	};
}
