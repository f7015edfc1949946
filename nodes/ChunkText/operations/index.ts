import { getResults } from './get-results';
import { submit } from './submit';
import { submitAndWait } from './submit-and-wait';

/** All operations; the first one is the default, and what n8n's search for nodes offers first. */
export const OPERATIONS = [submitAndWait, submit, getResults];
