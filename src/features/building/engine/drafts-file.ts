/** A drafts file: proposed drafts, and people's decisions about them. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { draftId, formatDraft, DraftsReading, type Draft, type ParsedDrafts } from '../core/draft.ts';
import { textHash } from '../../../engine/text-sums.ts';
import { appendLines } from '../../../engine/files/append-lines.ts';
import { reasonOf } from '../../../engine/files/file-reason.ts';
import { readInputLines } from '../../../engine/files/read-input.ts';
import { readText } from '../../../engine/files/reading.ts';

/**
 * Reads a drafts file. Empty if there is none.
 *
 * @throws ParallaxError `bad-file`
 */
export async function readDrafts(file: string): Promise<ParsedDrafts> {
  try {
    return await readInputLines(file, new DraftsReading(file));
  } catch (error) {
    if (ParallaxError.is(error, 'not-found')) return new DraftsReading(file).end();
    throw error;
  }
}

/** The text of a file. Empty if there is none. @throws ParallaxError `bad-file` */
export async function textOrNothing(file: string): Promise<string> {
  try {
    return await readText(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new ParallaxError('bad-file', l10n.t`Cannot read ${file}: ${reasonOf(error)}.`, { cause: error });
  }
}

export class DraftsFile {
  readonly warnings: readonly string[];
  readonly #file: string;
  readonly #ids = new Set<string>();
  #waiting = 0;
  /** Writes wait for each other, so that lines do not mix. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(file: string, { drafts, warnings }: ParsedDrafts) {
    this.#file = file;
    this.warnings = warnings;
    for (const draft of drafts) this.#remember(draft);
  }

  /** @throws ParallaxError `bad-file` if it contains something other than drafts */
  static async open(file: string): Promise<DraftsFile> {
    return new DraftsFile(file, await readDrafts(file));
  }

  /** The number of drafts that wait for a person. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether nearly the same question was proposed before, whatever the decision about it. */
  knows(question: string): boolean {
    return this.#ids.has(draftId(question, textHash));
  }

  /**
   * Adds a draft, unless nearly the same question was proposed in the meantime.
   *
   * @returns whether it was added
   * @throws ParallaxError `bad-file` if it cannot be written
   */
  async add(draft: Draft): Promise<boolean> {
    if (this.#ids.has(draft.id)) return false;
    this.#remember(draft);
    const turn = this.#turn.then(() => appendLines(this.#file, [formatDraft(draft)]));
    this.#turn = turn.catch(() => undefined);
    await turn;
    return true;
  }

  /** By its id, and by its text if a person changed it. */
  #remember({ id, text, review }: Draft): void {
    this.#ids.add(id);
    this.#ids.add(draftId(text, textHash));
    if (review === 'proposed') this.#waiting++;
  }
}
