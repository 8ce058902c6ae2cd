/** The corpus in view and the state of its index. */
import * as l10n from '@vscode/l10n';
import { storeLabel } from '../../../core/external/store-types.ts';
import type { InspectorState } from '../contract/panel.ts';
import { storeOfPipelines } from '../../../core/pipeline-needs.ts';
import type { CorpusStatus, CorpusSurvey, IndexReport } from '../../../shared/requests/corpora.ts';
import type { PanelContext } from './panel-context.ts';

type NotIndexed = Extract<InspectorState['corpus'], { state: 'not-indexed' }>;

export class PanelCorpus {
  readonly #context: PanelContext;
  #status: CorpusStatus | undefined;
  #survey: CorpusSurvey | undefined;
  #others: NotIndexed['others'] = [];

  constructor(context: PanelContext) {
    this.#context = context;
  }

  get name(): string {
    return this.#context.choices.corpus;
  }

  /** Whether there is a folder with a corpus. */
  get usable(): boolean {
    return this.#context.workspace().open && this.name !== '';
  }

  /** Whether the engine has been asked about it. */
  get known(): boolean {
    return this.#status !== undefined;
  }

  get indexed(): boolean {
    return this.#status?.indexed ?? false;
  }

  /** The number of passages. `undefined` before the engine has been asked, and for a store before the store has. */
  get passages(): number | undefined {
    const { passages, store } = this.#status ?? {};
    return store !== undefined && passages === 0 ? undefined : passages;
  }

  /** For another corpus. */
  forget(): void {
    this.#status = undefined;
    this.#survey = undefined;
    this.#others = [];
  }

  /** @throws ParallaxError the engine's error */
  async refresh(): Promise<void> {
    if (!this.usable) return;
    this.#status = await this.#context.engine.request('status', { corpus: this.name });
    this.#context.actions.indexedChanged(this.#status.indexed);
  }

  /** Surveys what indexing would read, if nothing is indexed. @throws ParallaxError the engine's error */
  async survey(): Promise<void> {
    if (!this.#status || this.indexed || this.#context.workspace().configProblem !== undefined) return;
    this.#survey = await this.#context.engine.request('surveyCorpus', { corpus: this.name });
    this.#context.changed();
    await this.#surveyOthers();
  }

  /** Whether the last survey found nothing to read. */
  get foundNothing(): boolean {
    return this.#survey?.folders.length === 0;
  }

  /** Surveys the other corpora that are not indexed yet. */
  async #surveyOthers(): Promise<void> {
    const { engine, workspace } = this.#context;
    const ownName = this.name;
    const otherCorpora: NotIndexed['others'][number][] = [];
    for (const corpus of Object.keys(workspace().config.corpora).filter((name) => name !== ownName)) {
      if ((await engine.request('status', { corpus })).indexed) continue;
      const { folders, withCode } = await engine.request('surveyCorpus', { corpus });
      const files = folders.reduce((sum, { prose, code }) => sum + prose + (withCode ? code : 0), 0);
      otherCorpora.push({
        name: corpus,
        files,
        kinds: [...new Set(folders.flatMap(({ kinds }) => kinds))].slice(0, 3),
      });
    }
    if (ownName === this.name) this.#others = otherCorpora;
  }

  /** Keeps notices of a search about components that this machine lacks. */
  learnNotices(notices: readonly string[]): void {
    if (this.#status) this.#status = { ...this.#status, notices };
  }

  /**
   * Brings the index up to date with the files. Failures are shown.
   *
   * @param rebuild whether to rebuild the index from scratch
   * @param name defaults to the corpus in view
   * @returns `undefined` if indexing did not finish
   */
  async index(rebuild: boolean, name = this.name): Promise<IndexReport | undefined> {
    const { tasks, engine, actions } = this.#context;
    const report = await tasks.run('index', this.#indexingTitle(name), ({ signal, onNote }) =>
      engine.request('index', { corpus: name, rebuild }, { signal, onNote }),
    );
    if (report)
      actions.log(
        `Indexed ${name}: ${report.added} added, ${report.changed} changed, ${report.deleted} deleted, ` +
          `${report.skipped} skipped; ${report.passages} passages in ${Math.round(report.milliseconds)} ms.`,
      );
    return report;
  }

  /** A store is not indexed; it is only asked for its size. */
  #indexingTitle(name: string): string {
    const store = this.#context.workspace().config.corpora[name]?.store;
    return store ? l10n.t`Asking ${storeLabel(store)}` : l10n.t`Indexing ${name}`;
  }

  view(): InspectorState['corpus'] {
    const { open, config } = this.#context.workspace();
    if (!open) return { state: 'no-folder' };
    if (!this.#status) return { state: 'unknown' };
    const { name } = this;
    const { indexed, ...status } = this.#status;
    if (!indexed) {
      const roots = [...(config.corpora[name]?.roots ?? [])];
      const survey = this.#survey ? { survey: this.#survey } : {};
      const searched = storeOfPipelines(config);
      const store = searched ? { store: storeLabel(searched) } : {};
      return { state: 'not-indexed', name, roots, ...survey, ...store, others: [...this.#others] };
    }
    return { state: 'indexed', name, ...status };
  }
}
