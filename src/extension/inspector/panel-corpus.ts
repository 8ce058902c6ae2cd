/** The corpus in view: whether and how far it is indexed. */
import * as l10n from '@vscode/l10n';
import { storeLabel } from '../../core/external/store-types.ts';
import type { InspectorState } from '../../shared/panels/inspector.ts';
import { storeOfPipelines } from '../../core/pipeline-needs.ts';
import type { CorpusStatus, CorpusSurvey, IndexReport } from '../../shared/requests/corpora.ts';
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

  /** There is a folder with a corpus to ask about. */
  get usable(): boolean {
    return this.#context.workspace().open && this.name !== '';
  }

  /** The engine has been asked about it. */
  get known(): boolean {
    return this.#status !== undefined;
  }

  get indexed(): boolean {
    return this.#status?.indexed ?? false;
  }

  /** How many it has; nothing before the engine was asked, and, of a store, before that was. */
  get passages(): number | undefined {
    const { passages, store } = this.#status ?? {};
    return store !== undefined && passages === 0 ? undefined : passages;
  }

  /** Another corpus came into view. */
  forget(): void {
    this.#status = undefined;
    this.#survey = undefined;
    this.#others = [];
  }

  /** @throws ParallaxError what the engine says */
  async refresh(): Promise<void> {
    if (!this.usable) return;
    this.#status = await this.#context.engine.request('status', { corpus: this.name });
    this.#context.actions.indexedChanged(this.#status.indexed);
  }

  /** Looks at what indexing would read, where nothing is indexed. @throws ParallaxError what the engine says */
  async survey(): Promise<void> {
    if (!this.#status || this.indexed || this.#context.workspace().configProblem !== undefined) return;
    this.#survey = await this.#context.engine.request('surveyCorpus', { corpus: this.name });
    this.#context.changed();
    await this.#surveyOthers();
  }

  /** Whether there was nothing to read when it was looked at last. */
  get foundNothing(): boolean {
    return this.#survey?.folders.length === 0;
  }

  /** The other corpora that are not indexed yet, with counts. */
  async #surveyOthers(): Promise<void> {
    const { engine, workspace } = this.#context;
    const own = this.name;
    const others: NotIndexed['others'][number][] = [];
    for (const corpus of Object.keys(workspace().config.corpora).filter((name) => name !== own)) {
      if ((await engine.request('status', { corpus })).indexed) continue;
      const { folders, withCode } = await engine.request('surveyCorpus', { corpus });
      const files = folders.reduce((sum, { prose, code }) => sum + prose + (withCode ? code : 0), 0);
      others.push({
        name: corpus,
        files,
        kinds: [...new Set(folders.flatMap(({ kinds }) => kinds))].slice(0, 3),
      });
    }
    if (own === this.name) this.#others = others;
  }

  /** A search may come upon something that this machine lacks. */
  learnNotices(notices: readonly string[]): void {
    if (this.#status) this.#status = { ...this.#status, notices };
  }

  /**
   * Brings the index up to date with the files; failures are shown.
   *
   * @param rebuild build it anew
   * @param name another corpus than the one in view
   * @returns nothing when it did not come to its end
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

  /** Nothing of a store is indexed: it is asked how much it holds. */
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
