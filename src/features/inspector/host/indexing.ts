/** Keeps the index of the corpus in view up to date, on request and when its files change. */
import type { FileChanges } from '../../../shared/requests/corpora.ts';
import type { WatchedIndex } from '../../../extension/workspace/corpus-watcher.ts';
import type { Asking } from './asking.ts';
import type { AnswerInView } from './answer-in-view.ts';
import type { CorpusChoice } from './inspector-options.ts';
import type { PanelContext } from './panel-context.ts';
import type { PanelCorpus } from './panel-corpus.ts';

/** Growth below these limits is small for any corpus. */
const MIN_FILES = 20;
const MIN_BYTES = 1_000_000;
const SHARE = 0.5;

/** Whether new and changed files add more than half of what was indexed, by number or by size. */
export function growsByHalf({ added, addedBytes, indexed }: FileChanges): boolean {
  return (
    (added >= MIN_FILES && added > SHARE * indexed.files) ||
    (addedBytes >= MIN_BYTES && addedBytes > SHARE * indexed.bytes)
  );
}

/** The corpus in view, and the parts that an update of its index changes. */
interface IndexedParts {
  readonly corpus: PanelCorpus;
  readonly inView: AnswerInView;
  readonly asking: Asking;
}

export class Indexing implements WatchedIndex {
  readonly #context: PanelContext;
  readonly #parts: IndexedParts;
  /** Corpora whose files were compared with their index in this session. */
  readonly #caughtUp = new Set<string>();
  /** By corpus, the growth that the user declined last, as text. */
  readonly #declined = new Map<string, string>();

  constructor(context: PanelContext, parts: IndexedParts) {
    this.#context = context;
    this.#parts = parts;
  }

  get indexed(): boolean {
    return this.#parts.corpus.indexed;
  }

  get isIndexing(): boolean {
    return this.#context.tasks.isRunning('index');
  }

  refreshStatus(): Promise<void> {
    return this.#context.guard(() => this.#parts.corpus.refresh());
  }

  /** Learns whether the corpus is indexed. Asks the engine only once. */
  async ensureStatus(): Promise<void> {
    if (!this.#parts.corpus.known) await this.refreshStatus();
  }

  /** Surveys what indexing would read. */
  survey(): Promise<void> {
    return this.#context.guard(() => this.#parts.corpus.survey());
  }

  async lookAgain(): Promise<void> {
    if (this.#parts.corpus.foundNothing) await this.survey();
  }

  /**
   * Brings the index up to date with the files.
   *
   * @param rebuild whether to rebuild the index from scratch
   * @returns whether indexing finished
   */
  async index(rebuild: boolean): Promise<boolean> {
    const { corpus, inView } = this.#parts;
    if (!corpus.usable) return false;
    const report = await corpus.index(rebuild);
    if (report && report.added + report.changed + report.deleted > 0) inView.markStale();
    await this.refreshStatus();
    return report !== undefined;
  }

  /** Updates the index. If the corpus would grow by more than half, waits for the user. */
  async update(): Promise<void> {
    await this.#context.guard(async () => {
      await this.#takeIn(await this.#changes());
    });
  }

  #changes(): Promise<FileChanges> {
    return this.#context.engine.request('fileChanges', { corpus: this.#parts.corpus.name });
  }

  /** @returns whether the index now includes the changes */
  async #takeIn(changes: FileChanges): Promise<boolean> {
    const { name } = this.#parts.corpus;
    if (changes.added + changes.changed + changes.deleted === 0) return false;
    if (growsByHalf(changes)) {
      const growth = JSON.stringify(changes);
      if (this.#declined.get(name) === growth) return false;
      if (!(await this.#context.actions.confirmGrowth(name, changes))) {
        this.#declined.set(name, growth);
        return false;
      }
    }
    return this.index(false);
  }

  /** Indexes the ticked parts. Writes the choice to parallax.json, which everyone working on the folder shares. */
  async indexChosen({
    choice,
    others = [],
  }: {
    choice?: CorpusChoice | undefined;
    others?: readonly string[] | undefined;
  }): Promise<void> {
    const { corpus } = this.#parts;
    if (choice) await this.#context.actions.chooseCorpus(corpus.name, choice);
    if (!(await this.index(false))) return;
    for (const name of others) if (!(await corpus.index(false, name))) return;
  }

  /** {@link catchUp} for a panel that was never shown. */
  async catchUpUnseen(): Promise<void> {
    if (!this.#context.trusted()) return;
    await this.ensureStatus();
    await this.catchUp();
  }

  /**
   * Updates an index with changes made while the window was closed, once for each corpus; later changes are watched.
   * Until then an answer is marked as out of date.
   */
  async catchUp(): Promise<void> {
    const { corpus, inView, asking } = this.#parts;
    const { settings, workspace, guard, publish } = this.#context;
    const { name } = corpus;
    if (!corpus.indexed || !settings().autoIndex || workspace().configProblem !== undefined) return;
    if (this.#caughtUp.has(name)) return;
    this.#caughtUp.add(name);
    await guard(async () => {
      const changes = await this.#changes();
      if (changes.added + changes.changed + changes.deleted === 0 || corpus.name !== name) return;
      inView.markStale();
      publish();
      if (await this.#takeIn(changes)) await asking.answerAgain();
    });
  }
}
