import { credentials } from './credentials';
import { dragAndDrop, schemaPreview } from './input';
import { errors, hints, output, stopping } from './output';
import { models } from './models';
import { parameters } from './parameters';
import { firstAction, search } from './search';
import type { Subject } from './suite';
import { themes } from './themes';
import { tools } from './tools';
import { vectors } from './vectors';

/** All that is checked in the editor, in this order; each by its name on the command line. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
	search,
	firstAction,
	parameters,
	models,
	tools,
	credentials,
	output,
	hints,
	errors,
	stopping,
	schemaPreview,
	dragAndDrop,
	themes,
	vectors,
};
