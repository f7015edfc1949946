import { credentials } from './credentials';
import { errors, hints } from './output';
import { parameters } from './parameters';
import type { Subject } from './suite';
import { tools } from './tools';

/** All that is checked in the editor, in this order; each by its name on the command line. */
export const SUBJECTS: Readonly<Record<string, Subject>> = {
	parameters,
	tools,
	credentials,
	hints,
	errors,
};
