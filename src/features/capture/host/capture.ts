/** Captured retrievals in the editor: view, status bar, terminal and commands around the controller. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import type { Perspective } from '../../../core/model.ts';
import { parsePipeline, type Pipeline } from '../../../core/pipeline.ts';
import { searchRunOf } from '../core/search-run.ts';
import type { CapturedRun, UnusedSpansOfKind } from '../contract/captured.ts';
import { captureEnvironment, environmentLines } from '../contract/environment.ts';
import { COMMANDS, CONTEXT_KEYS, VIEWS, type CommandId } from '../../../shared/manifest/contributions.ts';
import { perspectiveMark } from '../../inspector/contract/panel.ts';
import type { EvidenceDecorations } from '../../../extension/passages/evidence-decorations.ts';
import { openPassage } from '../../../extension/passages/open-passage.ts';
import { on, setContext, type CommandHandler } from '../../../extension/platform/contributed.ts';
import { typedPerspectives } from '../../../extension/workspace/workspace-model.ts';
import { CaptureController, type CaptureOptions } from './capture-controller.ts';
import {
  capturedNode,
  listNodes,
  passageNodes,
  runNodes,
  type CapturedNode,
  type CapturedPassageNode,
  type CapturedRunNode,
} from './capture-text.ts';
import { AgentSettings, type AgentSettingsHost } from './agent-settings.ts';
import { agreesToAgentSettings, windowFolder } from './agent-settings-host.ts';
import { showRecipes } from './instrument.ts';
import type { CapturedSurface } from './captured-surface.ts';
import { capturedQuestions } from './captured-questions.ts';
import type { RunView } from './run-panel.ts';
import { runLabel, treeItem, type CapturedTreeNode } from './captured-tree.ts';
import { unusedKindNodes, unusedNodes } from './unused-text.ts';
import type { Params } from '../../../shared/rpc.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

export interface CaptureParts extends Omit<CaptureOptions, 'actions'> {
  readonly surface: CapturedSurface;
  readonly decorations: EvidenceDecorations;
  readonly runView: Pick<RunView, 'show' | 'changed'>;
  readonly confirmCalls: CaptureOptions['actions']['confirmCalls'];
  /** Folder for results that the Parallax view shows. */
  readonly storage: string;
  /** Shows a question in the Parallax view, with the passages of a pipeline. */
  readonly inspect: (question: string, pipeline: Pipeline) => Promise<void>;
  /** Does the same, and explains why a document is not among the passages. */
  readonly explainMissing: (question: string, document: string | undefined) => Promise<void>;
  /** Adds questions to an eval set that the user chooses. */
  readonly addToEvalSet: (queries: ReturnType<typeof capturedQuestions>) => Promise<void>;
  /** Called when the figures at call sites may have changed. */
  readonly onChanged: () => void;
  readonly log: (message: string) => void;
  readonly agentSettings: AgentSettingsHost;
}

export class Capture implements vscode.Disposable {
  readonly #parts: CaptureParts;
  readonly #controller: CaptureController;
  readonly #agents: AgentSettings;
  #puttingBack: Promise<void> = Promise.resolve();
  readonly #status = vscode.window.createStatusBarItem('parallax.capture', vscode.StatusBarAlignment.Left);

  constructor(parts: CaptureParts) {
    this.#parts = parts;
    this.#agents = new AgentSettings(parts.agentSettings);
    this.#status.name = vscode.l10n.t('Parallax: Captured Retrievals');
    this.#status.command = COMMANDS.showCaptured;
    this.#controller = new CaptureController({
      ...parts,
      actions: {
        confirmCalls: parts.confirmCalls,
        publish: () => this.#publish(),
        askPerspectives,
        progress: (title, work) => withProgress(title, work),
        warn: (message) => void vscode.window.showWarningMessage(withoutLinks(message)),
        log: parts.log,
      },
    });
  }

  readonly handlers = {
    [COMMANDS.startCapture]: () => this.#start(),
    [COMMANDS.stopCapture]: () => this.#stop(),
    [COMMANDS.captureAgents]: () => this.#captureAgents(),
    [COMMANDS.instrumentProgram]: () => showRecipes(),
    [COMMANDS.importSpans]: () => this.#import(),
    [COMMANDS.clearCaptured]: () => this.#clear(),
    [COMMANDS.saveCapturedQuestions]: () => this.#saveQuestions(),
    [COMMANDS.showCaptured]: async () =>
      void (await vscode.commands.executeCommand(`${VIEWS.captured}.focus`)),
    [COMMANDS.openCaptureTerminal]: () => this.#openTerminal(),
    [COMMANDS.copyCaptureEnvironment]: () => this.#copyEnvironment(),
    [COMMANDS.judgeCaptured]: on(capturedNode, (node) => this.#judge(node)),
    [COMMANDS.inspectCaptured]: on(capturedNode, (node) => this.#inspect(node)),
    [COMMANDS.explainCaptured]: on(capturedNode, (node) => this.#explain(node)),
    [COMMANDS.showCapturedRun]: on(capturedNode, (node) => this.#showRun(node)),
    [COMMANDS.openCaptured]: on(capturedNode, (node) => this.#open(node)),
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  /** Captured retrievals, newest first. `undefined` if capturing is off and nothing was captured. */
  get runs(): readonly CapturedRun[] | undefined {
    const { url, runs } = this.#controller;
    return url === undefined && runs.length === 0 ? undefined : runs;
  }

  /** The corpus, judge and questions that retrievals are compared with. */
  get terms(): Params<'captured'> {
    return this.#controller.terms;
  }

  /** All captured retrievals, as text. */
  list(): string[] {
    return runNodes(this.#controller.runs).map(runLabel);
  }

  /** Shows the retrievals captured before this window was loaded. */
  async restore(): Promise<void> {
    await this.#controller.refresh();
  }

  /** Continues capturing in a reloaded window. Restores the agent settings of a window that is gone. */
  async resume(): Promise<void> {
    const listen = await this.#agents.resume(windowFolder());
    if (!listen) return;
    try {
      await this.#controller.start(listen);
    } catch (error) {
      await this.#agents.stopped();
      throw error;
    }
  }

  /** Has the results of retrievals judged; without a judge the question opens for labelling. @param ids newest first */
  async judge(ids: readonly string[]): Promise<void> {
    if (this.#controller.canJudge) return this.#controller.judge(...ids);
    const run = this.#controller.runs.find(({ id }) => ids.includes(id));
    if (run) await this.#show(run);
  }

  /** Shows what the program returned in the Parallax view, where people label it. */
  async #show(run: CapturedRun): Promise<void> {
    const { engine, inspect } = this.#parts;
    const { text: question } = run.asked;
    const name = createHash('sha256').update(run.id).digest('hex').slice(0, 16);
    const file = path.join(this.#parts.storage, name, 'captured.jsonl');
    await engine.request('writeCaptured', { id: run.id, question, file });
    const k = Math.max(1, run.k);
    await inspect(question, parsePipeline({ retriever: { type: 'run', file }, k, candidates: k }));
  }

  /** An observed program retrieved something. */
  arrived(): void {
    this.#controller.arrived();
  }

  changed(): void {
    this.#controller.changed();
  }

  dispose(): void {
    this.#agents.dispose();
    this.#controller.dispose();
    this.#status.dispose();
  }

  #publish(): void {
    const { url, runs, unused, indexed } = this.#controller;
    const { surface, runView, onChanged } = this.#parts;
    surface.tree.message =
      indexed || runs.length === 0
        ? ''
        : vscode.l10n.t('The corpus is not indexed, so passages cannot be recognised. Index it first.');
    surface.show({
      children: (node) => childrenOf(node, runs, unused),
      item: treeItem,
    });
    void setContext(CONTEXT_KEYS.capturing, url !== undefined);
    void setContext(CONTEXT_KEYS.anyCaptured, runs.length + unused.length > 0);
    if (runs.length > 0) void setContext(CONTEXT_KEYS.hasFiguresAtCall, true);
    this.#status.text = `$(broadcast) ${vscode.l10n.t('{0} captured', runs.length)}`;
    this.#status.tooltip = vscode.l10n.t(
      'Parallax receives what programs on this machine retrieve, if they are configured to send it.',
    );
    if (url === undefined) {
      this.#status.hide();
      this.#puttingBack = this.#putBack();
    } else this.#status.show();
    runView.changed();
    onChanged();
  }

  async #stop(): Promise<void> {
    await this.#controller.stop();
    await this.#puttingBack;
  }

  /** Restores the agent settings after capturing has ended for any reason. */
  async #putBack(): Promise<void> {
    try {
      await this.#agents.stopped();
    } catch (error) {
      this.#parts.log(`Settings of agents could not be put back: ${messageOf(error)}`);
    }
  }

  async #captureAgents(): Promise<void> {
    await this.#agents.requireAgents();
    if (!(await agreesToAgentSettings())) return;
    await this.#controller.start();
    await this.#agents.set(this.#url, windowFolder());
    // The command does not await the message, which may stay open for long.
    void this.#offerReload();
  }

  /** Agents read their settings only when a window is loaded. */
  async #offerReload(): Promise<void> {
    const reload = vscode.l10n.t('Reload Window');
    const answer = await vscode.window.showInformationMessage(
      withoutLinks(
        vscode.l10n.t(
          'VS Code’s agents send their steps to Parallax after the window is reloaded; capturing continues there. Stop Capturing restores your settings.',
        ),
      ),
      reload,
    );
    if (answer !== reload) return;
    await this.#agents.reloading(windowFolder());
    await vscode.commands.executeCommand('workbench.action.reloadWindow');
  }

  async #start(): Promise<void> {
    await this.#controller.start();
    await vscode.commands.executeCommand(`${VIEWS.captured}.focus`);
    void this.#offerEnvironment();
  }

  /** The command does not await the message, which may stay open for long. */
  async #offerEnvironment(): Promise<void> {
    const terminal = vscode.l10n.t('Open Terminal');
    const copy = vscode.l10n.t('Copy Environment');
    const answer = await vscode.window.showInformationMessage(
      withoutLinks(
        vscode.l10n.t(
          'Retrievals are captured. Start an instrumented program from a terminal of Parallax, which sets where spans go.',
        ),
      ),
      terminal,
      copy,
    );
    if (answer === terminal) await vscode.commands.executeCommand(COMMANDS.openCaptureTerminal);
    if (answer === copy) await vscode.commands.executeCommand(COMMANDS.copyCaptureEnvironment);
  }

  async #import(): Promise<void> {
    const title = vscode.l10n.t('Import OpenTelemetry File');
    const chosen = await vscode.window.showOpenDialog({
      title,
      openLabel: vscode.l10n.t('Import'),
      canSelectMany: true,
    });
    for (const { fsPath } of chosen ?? []) {
      const { retrievals, unused } = await this.#controller.import(fsPath);
      vscode.window.setStatusBarMessage(
        counted(
          vscode.l10n.t('{0}: {1} [1:retrieval|retrievals], {2} other [2:span|spans]'),
          path.basename(fsPath),
          retrievals,
          unused,
        ),
        10_000,
      );
    }
    if (chosen) await vscode.commands.executeCommand(`${VIEWS.captured}.focus`);
  }

  /** Starts capturing first if needed. */
  async #openTerminal(): Promise<void> {
    await this.#controller.start();
    vscode.window
      .createTerminal({
        name: vscode.l10n.t('Parallax capture'),
        env: captureEnvironment(this.#url, process.env),
        // The editor would store the token of a restorable terminal.
        isTransient: true,
      })
      .show();
  }

  async #copyEnvironment(): Promise<void> {
    await vscode.env.clipboard.writeText(environmentLines(captureEnvironment(this.#url)));
    vscode.window.setStatusBarMessage(vscode.l10n.t('The environment for capturing was copied.'), 5_000);
  }

  get #url(): string {
    const { url } = this.#controller;
    if (url !== undefined) return url;
    throw new ParallaxError('bad-argument', vscode.l10n.t('Start capturing retrievals first.'));
  }

  async #judge(selection: CapturedNode | undefined): Promise<void> {
    const node = selection ?? (await this.#choose());
    if (node) await this.#controller.judge(node.run.id);
  }

  async #inspect(selection: CapturedNode | undefined): Promise<void> {
    const node = selection ?? (await this.#choose());
    if (node) await this.#show(node.run);
  }

  /** A passage is explained directly; for a retrieval the user names the document that it misses. */
  async #explain(selection: CapturedNode | undefined): Promise<void> {
    const node = selection ?? (await this.#choose());
    if (!node) return;
    const document = node.kind === 'captured-passage' ? node.passage.id : undefined;
    await this.#parts.explainMissing(node.run.query, document);
  }

  async #clear(): Promise<void> {
    await this.#controller.clear();
    await rm(this.#parts.storage, { recursive: true, force: true });
  }

  async #saveQuestions(): Promise<void> {
    const questions = capturedQuestions(this.#controller.runs);
    if (questions.length === 0)
      throw new ParallaxError('not-found', vscode.l10n.t('Nothing has been captured yet.'));
    await this.#parts.addToEvalSet(questions);
  }

  async #showRun(selection: CapturedNode | undefined): Promise<void> {
    const node = selection ?? (await this.#choose());
    if (!node) return;
    await this.#parts.runView.show(searchRunOf(node.run));
  }

  /** For the palette, which passes no node. */
  async #choose(): Promise<CapturedRunNode | undefined> {
    const items = runNodes(this.#controller.runs).map((node) => ({ label: node.run.query, node }));
    if (items.length === 0)
      throw new ParallaxError('not-found', vscode.l10n.t('Nothing has been captured yet.'));
    const title = vscode.l10n.t('Captured Retrievals');
    return (await vscode.window.showQuickPick(items, { title }))?.node;
  }

  async #open(node: CapturedNode | undefined): Promise<void> {
    if (node?.kind !== 'captured-passage') return;
    const { engine, asked, decorations } = this.#parts;
    const { corpus } = asked();
    const passage = await engine.request('passage', { corpus, passageId: node.passage.id });
    const evidence = await this.#evidence(node);
    await openPassage(corpus, passage, evidence, evidence[0]?.span, decorations);
  }

  async #evidence({ run, passage }: CapturedPassageNode): Promise<Parameters<typeof openPassage>[2]> {
    const judgingTask = { ...this.#controller.judgingTask(run), slots: [passage.slot] };
    const { pairs } = await this.#parts.engine.request('judgements', judgingTask);
    return run.perspectives.flatMap(({ id, text }, index) => {
      const judgement = pairs.find(({ perspectiveId }) => perspectiveId === id)?.judgement;
      if (judgement?.verdict !== 'yes') return [];
      const mark = {
        ...perspectiveMark(index),
        perspective: text,
        verdictBy: `${judgement.judge} (${judgement.source})`,
      };
      return judgement.evidence.map((span) => ({ ...mark, span }));
    });
  }
}

function childrenOf(
  node: CapturedTreeNode | undefined,
  runs: readonly CapturedRun[],
  unused: readonly UnusedSpansOfKind[],
): readonly CapturedTreeNode[] {
  if (!node) return [...listNodes(runs), ...unusedNodes(unused, runs.length === 0)];
  if (node.kind === 'unused') return unusedKindNodes(node);
  if (node.kind === 'captured-call') return runNodes(node.runs);
  if (node.kind === 'captured-group') return runNodes(node.runs.toReversed());
  return node.kind === 'captured-run' ? passageNodes(node) : [];
}

/** Typed on one line, because the editor has no multi-line input box. */
async function askPerspectives(question: string): Promise<readonly Perspective[] | undefined> {
  const input = await vscode.window.showInputBox({
    title: vscode.l10n.t('Perspectives of the Question'),
    prompt: withoutLinks(
      vscode.l10n.t('No eval set has “{0}”. What must a complete answer cover?', question),
    ),
    placeHolder: vscode.l10n.t('Statements, separated by semicolons'),
  });
  return input === undefined ? undefined : typedPerspectives(input.split(';'));
}

function withProgress<T>(label: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  const title = withoutLinks(label);
  const run = async (_progress: unknown, token: vscode.CancellationToken): Promise<T> => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    return work(controller.signal);
  };
  return Promise.resolve(vscode.window.withProgress({ location, title, cancellable: true }, run));
}
