import { settingsText } from '../../../examples/src/code/shared/settings-text';
import { BY_KIND } from '../../../examples/src/parts/files';
import { chunkText, pushDocuments } from '../../../examples/src/parts/sync';
import { ChunkText } from '../../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../../nodes/PushDocuments/PushDocuments.node';
import { withDefaults } from './support/node-parameters';

const settings = (chunker: object) =>
	JSON.stringify([
		withDefaults(new ChunkText(), chunkText([0, 0], chunker).parameters),
		withDefaults(new PushDocuments(), pushDocuments([0, 0], true).parameters),
	]);

/** As it was before the option Document Fields. */
const withoutFields = (text: string) => text.replace(',"documentFields":"={{ $json.fields }}"', '');

test('files that were split by sentences keep their versions', () => {
	const former = withoutFields(settings({ chunker: 'dynamic-sentence' }));
	expect(settingsText(settings(BY_KIND))).toBe(former);
	expect(settingsText(former)).toBe(former);
});

test('texts without fields keep their versions, and another choice of fields is a new version', () => {
	const now = settings({ regex: 'x' });
	expect(settingsText(now)).toBe(withoutFields(now));
	expect(withoutFields(now)).not.toBe(now);
	const mine = now.replace('$json.fields', '$json.mine');
	expect(settingsText(mine)).toBe(mine);
});

test('another way to split, or another model, is a new version', () => {
	const [sentences, other] = ['chunkerName', 'chunkerConfig'].map((name) =>
		settings({ ...BY_KIND, [name]: "={{ 'sentence' }}" }),
	);
	expect(settingsText(sentences)).toBe(withoutFields(sentences));
	expect(settingsText(other)).toBe(withoutFields(other));
	const model = settings(BY_KIND).replace('gte-small', 'e5-small-v2');
	expect(settingsText(model)).toContain('e5-small-v2');
});
