/** The human labels of a workspace. The file is read again if it has changed, and appended to. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { counted } from '../../core/counted.ts';
import { ParallaxError } from '../../core/errors.ts';
import type { LabelIndex } from '../../core/formats/label-index.ts';
import {
  formatLabel,
  parseLabelLine,
  type AttentionCheck,
  type LabelLine,
} from '../../core/formats/labels.ts';
import type { EngineConfig } from '../../shared/requests/configuration.ts';
import { boundaryOf, isInside, requireNoWayOut, type Boundary } from '../files/boundary.ts';
import { reasonOf } from '../files/file-reason.ts';
import { fileState, fileVersion, versionOf } from '../files/file-version.ts';
import { readChunks } from '../files/reading.ts';
import { appendLabels } from './append-labels.ts';
import { LabelsReading, type NumberedParts } from './labels-reading.ts';

/** The content of a labels file. Labels that this process appends later are added to `index`. */
interface Content {
  readonly index: LabelIndex;
  /** Without withdrawn checks. */
  readonly checks: readonly AttentionCheck[];
  /** Messages about lines that could not be read. */
  readonly problems: readonly string[];
  readonly parts: NumberedParts | undefined;
}

export class LabelsFile {
  readonly #path: string | undefined;
  readonly #onWarning: (warning: string) => void;
  readonly #boundary: Boundary;
  readonly #folder: string | undefined;
  /** Runs reading and appending one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Version of the file that was read. Empty if there is no file. */
  #version = '';
  #reading = new LabelsReading();

  /**
   * @param file undefined without a workspace, which has no labels and accepts none
   * @param folder that a link instead of the file must not lead out of: when it is read, unless the folder is trusted,
   *   and always when it is written
   */
  constructor(
    file: string | undefined,
    onWarning: (warning: string) => void,
    folder?: Pick<EngineConfig, 'base' | 'trusted'>,
  ) {
    this.#path = file;
    this.#onWarning = onWarning;
    this.#boundary = folder && boundaryOf(folder);
    this.#folder = folder?.base;
  }

  /** The labels in the file now. Lines that cannot be read are left out with a warning. */
  async read(): Promise<LabelIndex> {
    return (await this.content()).index;
  }

  /** Like {@link read}, with the rest of the file's content. */
  async content(): Promise<Content> {
    const file = this.#path;
    if (file !== undefined) await this.#inTurn(() => this.#refresh(file));
    const { index, checks, problems, parts } = this.#reading;
    const name = path.basename(file ?? '');
    return { index, checks, problems: problems.map((problem) => `${name}: ${problem}`), parts };
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(file: string): Promise<void> {
    // Before reading, so that text written during it is read the next time.
    const version = await fileVersion(file);
    if (version === this.#version) return;
    this.#reading = version === '' ? new LabelsReading() : await this.#readAll(file);
    this.#version = version;
  }

  async #readAll(file: string): Promise<LabelsReading> {
    if (!(await isInside(this.#boundary, file))) {
      // An untrusted workspace is searched without the labels that its link leads to.
      this.#onWarning(
        l10n.t`${file} leads out of this folder. Its labels count only once you trust the workspace.`,
      );
      return new LabelsReading();
    }
    const known = new Set(this.#reading.problems);
    try {
      const reading = await LabelsReading.of(readChunks(file, { boundary: this.#boundary }));
      for (const problem of reading.problems)
        if (!known.has(problem)) this.#onWarning(`${path.basename(file)}: ${problem}`);
      return reading;
    } catch (error) {
      if (ParallaxError.is(error)) throw error;
      throw new ParallaxError('bad-file', l10n.t`Cannot read ${file}: ${reasonOf(error)}.`, { cause: error });
    }
  }

  /**
   * Adds one line. The file is append-only, so that labels of several people merge.
   *
   * @throws ParallaxError `not-found` without a workspace, `untrusted` if a link leads out of it, `bad-file` if it
   *   cannot be written
   */
  async append(line: LabelLine): Promise<void> {
    const file = this.#path;
    if (file === undefined) throw new ParallaxError('not-found', l10n.t('Labels need a workspace folder.'));
    await requireNoWayOut(this.#folder, file);
    await this.#inTurn(() => this.#append(file, formatLabel(line)));
  }

  async #append(file: string, text: string): Promise<void> {
    const before = await fileState(file);
    const written = await appendLabels(file, [text]);
    const after = await fileState(file);
    const line = parseLabelLine(JSON.parse(text));
    const isOnlyOurs =
      versionOf(before) === this.#version &&
      after?.size === (before?.size ?? 0) + written.length &&
      (before === undefined || before.ino === after.ino);
    // If it has new lines of others, the file is read again the next time.
    if (!isOnlyOurs || typeof line === 'string') return;
    this.#reading.add(line);
    this.#version = versionOf(after);
  }
}

/** A message about labels that name parts of documents by number, in a corpus without documents of such names. */
export function partsText({ labels, example }: NumberedParts): string {
  return counted(
    l10n.t(
      '{0} [0:label names a passage by its number|labels name passages by their numbers], such as "{1}", and [0:is|are] ignored: a number refers to a different passage once the documents or the splitter change. Import [0:it|them] again with the corpus: parallax import --qrels … --corpus ….',
    ),
    labels,
    example,
  );
}
