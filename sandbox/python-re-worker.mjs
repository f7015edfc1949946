/**
 * Runs in a worker thread: CPython's own `re` by way of pyodide. A plain ES module, so that it
 * runs the same under node, tsx and jest. Messages in: {pattern, texts}; out: {spans} with one
 * Int32Array of flat [start, end) pairs in code points per text, or {error}.
 */
import { parentPort } from 'node:worker_threads';

import { loadPyodide } from 'pyodide';

const SOURCE = `
import re, warnings
from array import array
from pyodide.ffi import to_js

warnings.simplefilter('ignore')

def split(pattern, texts):
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        return to_js({'error': f'Invalid regular expression: {error}'}, dict_converter=Object.fromEntries)
    except (OverflowError, RecursionError) as error:
        return to_js({'error': f'Invalid regular expression: {error}'}, dict_converter=Object.fromEntries)
    spans = []
    for text in texts:
        pieces = array('i')
        last = 0
        for match in compiled.finditer(text):
            start, end = match.span()
            if start > last:
                pieces.append(last)
                pieces.append(start)
            last = end
        if last < len(text):
            pieces.append(last)
            pieces.append(len(text))
        spans.append(pieces)
    return to_js({'spans': spans}, dict_converter=Object.fromEntries)

from js import Object
split
`;

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const python = await loadPyodide();
const split = python.runPython(SOURCE);

port.on('message', ({ pattern, texts }) => {
	try {
		port.postMessage(split(pattern, texts));
	} catch (error) {
		// A Python error's message is its whole traceback; the last line says what happened.
		const lines = String(/** @type {Error} */ (error).message)
			.trim()
			.split('\n');
		port.postMessage({ error: lines[lines.length - 1] });
	}
});
port.postMessage({ ready: true });
