import * as vscode from 'vscode';
import type { NamedTarget } from '../../explain/core/explanation.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { Verdict } from '../../../core/model.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { CONTEXT_KEYS } from '../../../shared/manifest/contributions.ts';
import { openPassage } from '../../../extension/passages/open-passage.ts';
import { readSetting, setContext } from '../../../extension/platform/contributed.ts';
import { confirmCalls } from '../../../extension/judging/confirmations.ts';
import { userName } from '../../../extension/platform/dialogs.ts';
import { applyRemedy } from '../../../extension/platform/remedies.ts';
import type {
  ComparisonPanel,
  MappedAnswer,
  MappedPanel,
  QuestionPanel,
} from '../../../extension/services/panels.ts';
import type { Services } from '../../../extension/services/services.ts';
import { saveStance } from '../../../extension/workspace/eval-set-file.ts';
import { addToEvalSet } from './add-to-eval-set.ts';
import { chooseFields } from './choose-fields.ts';
import { InspectorController } from './inspector-controller.ts';
import type { InspectorOptions } from './inspector-options.ts';
import { InspectorView } from './inspector-view.ts';
import { savePipeline, saveSplit } from '../../../extension/workspace/save-pipeline.ts';
import { showSkippedFiles } from './skipped-files.ts';
import { withChoice } from './corpus-choice.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';
import type { FileChanges } from '../../../shared/requests/corpora.ts';

const OPEN_CHAT = 'workbench.action.chat.open';

/** Gives a prompt to the editor's chat, or copies it for another agent. It is never sent: the user reads it first. */
async function handOver(prompt: string): Promise<void> {
  const chat = vscode.l10n.t('Open in Chat');
  const copy = vscode.l10n.t('Copy the Prompt');
  const title = vscode.l10n.t('Hand This to an Agent');
  const hasChat = (await vscode.commands.getCommands(true)).includes(OPEN_CHAT);
  const chosen = hasChat ? await vscode.window.showQuickPick([chat, copy], { title }) : copy;
  if (chosen === chat)
    await vscode.commands.executeCommand(OPEN_CHAT, { query: prompt, isPartialQuery: true });
  if (chosen !== copy) return;
  await vscode.env.clipboard.writeText(prompt);
  vscode.window.setStatusBarMessage(vscode.l10n.t('The prompt is copied: paste it into your agent.'), 10_000);
}

/** The side panel, and the interface through which other features use it. */
export class SidePanel implements QuestionPanel, MappedPanel, vscode.Disposable {
  readonly inspector: InspectorController;
  readonly view: InspectorView;
  readonly #services: Services;
  readonly #comparisons: Pick<ComparisonPanel, 'showKept'>;
  readonly #programs: InspectorOptions['programs'];
  readonly #listeners: (() => void)[] = [];

  constructor(
    services: Services,
    comparisons: Pick<ComparisonPanel, 'showKept'>,
    programs: InspectorOptions['programs'],
  ) {
    const { context, log, ready, changes } = services;
    this.#services = services;
    this.#comparisons = comparisons;
    this.#programs = programs;
    this.inspector = this.#inspector();
    this.view = new InspectorView(context.extensionUri, {
      onMessage: (message) => ready.then(() => void this.inspector.handle(message)),
      onInvalidMessage: (problem) => log.error(`The panel sent a message of the wrong shape: ${problem}`),
    });
    changes.subscribe('side panel', {
      figuresChanged: () => void this.inspector.labelsChanged(),
      observedChanged: () => this.inspector.programsChanged(),
    });
    context.subscriptions.push(this);
  }

  get corpus(): string {
    return this.inspector.corpus;
  }

  /** Explains why a document is not retrieved; does nothing without a question. */
  async explainMissing(target: NamedTarget | undefined): Promise<void> {
    await this.view.focusQuery();
    if (target === undefined)
      throw new ParallaxError(
        'bad-argument',
        vscode.l10n.t('Open or select the document that is missing, or type its title under “Where is…”.'),
      );
    if (this.inspector.state().query === '')
      throw new ParallaxError(
        'bad-argument',
        vscode.l10n.t('Ask a question first, then ask where the document is.'),
      );
    await this.inspector.explainMissing(target);
  }

  get asked(): QuestionPanel['asked'] {
    return this.inspector.asked;
  }

  get judgingTask(): QuestionPanel['judgingTask'] {
    return this.inspector.inView.judgingTask;
  }

  get mapped(): MappedAnswer | undefined {
    return this.inspector.inView.mapped;
  }

  get pipelines(): MappedPanel['pipelines'] {
    return this.inspector.pipelines;
  }

  open(passageId: string): Promise<void> {
    return this.inspector.handle({ type: 'open', passageId });
  }

  supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']> {
    return this.inspector.inView.supportsOf(slots);
  }

  label(slot: number, perspective: number, verdict: Verdict): Promise<void> {
    return this.inspector.labelSlot(slot, perspective, verdict);
  }

  addPerspective(text: string): Promise<void> {
    return this.inspector.addPerspective(text);
  }

  onDidAnswer(listener: () => void): void {
    this.#listeners.push(listener);
  }

  ensureStatus(): Promise<void> {
    return this.inspector.indexing.ensureStatus();
  }

  labelsChanged(): Promise<void> {
    return this.inspector.labelsChanged();
  }

  /** Answers a question; the panel may be hidden. */
  async ask(question: string): Promise<void> {
    await this.#services.ready;
    await this.inspector.indexing.ensureStatus();
    await this.inspector.search(question);
  }

  async show(question: string): Promise<void> {
    await this.view.focusQuery(question);
    await this.inspector.indexing.ensureStatus();
    await this.inspector.search(question);
  }

  addToEvalSet(queries: Parameters<QuestionPanel['addToEvalSet']>[0]): Promise<void> {
    return addToEvalSet(this.#services, queries);
  }

  async showMissing(question: string, document: string | undefined): Promise<void> {
    await this.show(question);
    if (document === undefined) this.view.focusMissing();
    else await this.inspector.explainMissing({ document });
  }

  async inspect(corpus: string, query: string, pipeline: Pipeline): Promise<void> {
    await this.view.focusQuery(query);
    await this.inspector.indexing.ensureStatus();
    if (corpus !== this.inspector.corpus) await this.inspector.showCorpus(corpus);
    await this.inspector.inspect(query, pipeline);
  }

  async showCaptured(question: string, pipeline: Pipeline): Promise<void> {
    await this.view.focusQuery(question);
    await this.inspector.indexing.ensureStatus();
    await this.inspector.inspectCaptured(question, pipeline);
  }

  /** Looks deeper for a missing perspective that the user picks. */
  async lookDeeper(): Promise<void> {
    await this.view.focusQuery();
    const { missing } = this.inspector.inView;
    if (missing.length === 0) {
      void vscode.window.showInformationMessage(
        withoutLinks(
          vscode.l10n.t('No perspective is missing. Ask a question, and say what its answer must cover.'),
        ),
      );
      return;
    }
    const placeHolder = vscode.l10n.t('Which perspective to look for in the whole corpus');
    const items = missing.map(({ id, text }) => ({ label: text, id }));
    const picked = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { placeHolder });
    if (picked) await this.inspector.handle({ type: 'look-deeper', perspectiveId: picked.id });
  }

  /** Reveals the panel, and indexes a corpus that is not indexed yet. */
  async index(corpus: string): Promise<void> {
    await this.view.focusQuery();
    await this.inspector.indexing.ensureStatus();
    await this.inspector.showCorpus(corpus);
    await this.inspector.indexing.index(false);
  }

  async indexed(corpus: string): Promise<void> {
    if (corpus === this.inspector.corpus) await this.inspector.indexing.refreshStatus();
  }

  dispose(): void {
    this.inspector.dispose();
  }

  #inspector(): InspectorController {
    const { engineOf, workspace, configFile, decorations, changes } = this.#services;
    const { inspected, trusted, judgeSetting, costSettings, memory, note } = this.#services;
    const inspector: InspectorController = new InspectorController({
      engine: engineOf('side panel'),
      workspace: inspected,
      trusted,
      settings: () => ({
        judge: judgeSetting(),
        autoJudge: readSetting('parallax.autoJudge'),
        autoIndex: readSetting('parallax.autoIndex'),
        ...costSettings(),
        historySize: readSetting('parallax.inspector.historySize'),
        lookDeeperPassages: readSetting('parallax.lookDeeper.passages'),
        suggestFrom: readSetting('parallax.suggestPerspectives.from'),
        suggestCount: readSetting('parallax.suggestPerspectives.count'),
      }),
      memory,
      userName,
      programs: this.#programs,
      actions: {
        publish: (state) => {
          this.view.post(state);
          for (const listener of this.#listeners) listener();
        },
        showExplanation: () => this.view.showExplanation(),
        open: (corpus, { passage, focus }, evidence) =>
          openPassage(corpus, passage, evidence, focus, decorations),
        openFolder: async () => void (await vscode.commands.executeCommand('vscode.openFolder')),
        chooseCorpus: (corpus, choice) =>
          configFile.edit((json) =>
            withChoice(json, corpus, workspace.snapshot.config.corpora[corpus], choice),
          ),
        chooseFields: (corpus, choice) => chooseFields(configFile, corpus, choice),
        savePipeline: (named) => savePipeline(configFile, named),
        saveSplit: (corpus, split) => saveSplit(configFile, corpus, split),
        showComparison: (id) => this.#comparisons.showKept(id),
        showSkipped: (corpus) => showSkippedFiles(this.#services, corpus),
        confirmGrowth,
        confirmCalls,
        saveStance: (query, perspective, change) =>
          saveStance(workspace.openFolder, query, perspective, change),
        addToEvalSet: (query) => addToEvalSet(this.#services, [query]),
        handOver,
        applyRemedy,
        indexedChanged: (indexed) => {
          void setContext(CONTEXT_KEYS.indexed, indexed);
          // Read at the next start, before any engine runs.
          memory.set(CONTEXT_KEYS.indexed, indexed);
          changes.indexedChanged();
        },
        log: note,
      },
    });
    return inspector;
  }
}

/** Asks whether to index a corpus that would grow by more than half. */
async function confirmGrowth(corpus: string, { addedBytes, largest }: FileChanges): Promise<boolean> {
  const yes = vscode.l10n.t('Index Them');
  const megabytes = (addedBytes / 1_000_000).toFixed(1);
  const question =
    largest === undefined
      ? vscode.l10n.t('New files would make "{0}" grow by more than half. Index them?', corpus)
      : vscode.l10n.t(
          'New files would make "{0}" grow by more than half ({1} MB; the largest is {2}). Index them?',
          corpus,
          megabytes,
          largest,
        );
  return (
    (await vscode.window.showWarningMessage(withoutLinks(question), yes, vscode.l10n.t('Not Now'))) === yes
  );
}
