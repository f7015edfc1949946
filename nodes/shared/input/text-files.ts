import type { IBinaryData } from 'n8n-workflow';

import { Findings } from '../formats/findings';
import { describeBadCharacters } from '../formats/text';
import { InputError } from '../service/input-error';
import { figure, isNullOrBlankText, quoted } from '../service/strings';
import type { WithParameter } from '../parameters/property';
import type { Run } from '../run/run';
import { itemOf, type EntryOrigin, type Sink } from '../output/sink';
import { hintAtFindings, type FileFindings } from '../output/file-findings';
import { inputFile, type InputFile } from './files';
import { encodingOf } from './open-file';
import { stemOf } from '../output/stored-file';
import { isPage } from '../service/page';
import { htmlError, readError, repeatedNames } from './file-errors';

interface TextFileParameters extends WithParameter<'fileDocumentName', string> {
	file(name: 'binaryPropertyName', itemIndex: number): string | IBinaryData;
	value(name: 'fileDocumentId' | 'options.encoding', itemIndex: number): unknown;
	id(name: 'fileDocumentId', itemIndex: number): string;
}

/** By default, a document's ID and name come from the name of its file. */
export class TextFiles {
	/** File names that serve as document IDs, by item. */
	private readonly names = new Map<number, string>();

	constructor(
		private readonly run: Run,
		private readonly parameters: TextFileParameters,
		private readonly maxBytes: number,
	) {}

	/** @throws InputError if the file is missing, damaged or too large, is an HTML page, or is not text */
	async read(itemIndex: number): Promise<string> {
		const { run, maxBytes } = this;
		const file = this.fileOf(itemIndex);
		let close = (): void => undefined;
		try {
			const encoding = encodingOf(this.parameters, itemIndex);
			const findings: FileFindings = new Findings();
			const opened = await file.open({ encoding, findings });
			({ close } = opened);
			let text = '';
			let bytes = 0;
			for await (const piece of opened.text) {
				text += piece;
				bytes += Buffer.byteLength(piece);
				if (bytes > maxBytes) break;
			}
			if (isPage(text, file.mimeType)) throw htmlError(file.name);
			if (bytes > maxBytes) throw sizeError(file, maxBytes);
			const problem = describeBadCharacters(text);
			hintAtFindings(run, file.name, findings);
			if (problem !== undefined)
				throw new InputError(
					`The file ${quoted(file.name)} ${problem}`,
					"If it is text in another encoding, set the option 'Encoding'. If that option does not offer the encoding, convert the file to UTF-8 before this node. If the file is not text, extract its text before this node.",
				);
			return text;
		} catch (error) {
			throw run.ended ? error : readError(file.name, error);
		} finally {
			close();
		}
	}

	/**
	 * If the parameter for the ID or the name is empty, the file name is used instead.
	 *
	 * @throws InputError if the file name is needed but the file has no name
	 */
	documentOf(itemIndex: number): { id: string; name: string } {
		const { parameters } = this;
		const name = parameters.get('fileDocumentName', itemIndex);
		if (isNullOrBlankText(parameters.value('fileDocumentId', itemIndex)))
			this.names.set(itemIndex, this.nameOf(itemIndex));
		return {
			id: this.names.get(itemIndex) ?? parameters.id('fileDocumentId', itemIndex),
			name: isNullOrBlankText(name) ? stemOf(this.nameOf(itemIndex)) : name,
		};
	}

	/**
	 * Returns the entries whose file name occurs only once. The other entries fail, because their documents would have
	 * the same ID and replace each other in the index. This method must be called after all items have been read.
	 */
	async withoutRepeatedNames<E extends EntryOrigin>(
		entries: readonly E[],
		sink: Sink,
	): Promise<E[]> {
		const repeated = new Set(repeatedNames([...this.names.values()]));
		const distinct: E[] = [];
		for (const entry of entries) {
			const id = this.names.get(itemOf(entry)) ?? '';
			if (!repeated.has(id)) distinct.push(entry);
			else
				await sink.addFailure(entry, {
					id,
					reason: this.repeatedNameError(itemOf(entry), id),
				});
		}
		return distinct;
	}

	/** Returns the name of a file without its folder. Some nodes include the folder in the name. */
	private nameOf(itemIndex: number): string {
		const { name, isNamed } = this.fileOf(itemIndex);
		if (isNamed) return name.split(/[\\/]/).at(-1) ?? name;
		throw new InputError(
			"The item's file has no name",
			"Enter a 'Document ID' and a 'Document Name'.",
		);
	}

	private repeatedNameError(itemIndex: number, name: string): InputError {
		const location = this.parameters.file('binaryPropertyName', itemIndex);
		const file = `$binary.${typeof location === 'string' ? location : 'data'}`;
		return new InputError(
			`Several files have the name ${quoted(name)}`,
			`Enter a 'Document ID' that tells them apart, such as {{ ${file}.directory }}/{{ ${file}.fileName }}.`,
		);
	}

	/** @throws InputError if the item has no file */
	fileOf(itemIndex: number): InputFile {
		const location = this.parameters.file('binaryPropertyName', itemIndex);
		return inputFile(this.run, itemIndex, location);
	}
}

const sizeError = ({ name }: InputFile, maxBytes: number): InputError =>
	new InputError(
		`The file ${quoted(name)} has more bytes of text than the ${figure(maxBytes)} that 'Bytes per Request' allows`,
		"Split the file before this node, or increase 'Bytes per Request' if the service accepts more.",
	);
