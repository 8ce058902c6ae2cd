/** Observing running programs in the editor: terminal, debugger, status bar and commands. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';
import { liveEnvironment, terminalVariables } from '../contract/environment.ts';
import type { LiveUnit } from '../contract/protocol.ts';
import { COMMANDS, CONTEXT_KEYS, type CommandId } from '../../../shared/manifest/contributions.ts';
import { setContext, type CommandHandler } from '../../../extension/platform/contributed.ts';
import type {
  LivePrograms,
  LiveQuestion,
  MeasuredCall,
  MorePassages,
} from '../../../extension/services/live-programs.ts';
import { DebugLaunches, type DebugLaunchesOptions } from './debug-launches.ts';
import { answersOf, measureCall, POOL, type CallAnswers } from './measure-live.ts';
import { ProgramRuns, type LiveCallState, type ProgramRunsOptions } from './program-runs.ts';
import { startingLine } from './starting-line.ts';

export interface LiveParts
  extends Omit<ProgramRunsOptions, 'actions'>, Pick<DebugLaunchesOptions, 'memory' | 'isNearCall'> {
  readonly extensionPath: string;
  /** Folder for measured results, which outlives the window. */
  readonly storage: string;
  readonly onChanged: () => void;
  readonly captured: () => void;
  /** Indexes the corpus in which passages are recognised. */
  readonly prepare: () => Promise<void>;
  readonly log: (message: string) => void;
}

/** Time limit for one question, in milliseconds. */
const LIMIT_MS = 60_000;
const MAX_NAMED = 3;
/** Milliseconds for a shell to start. */
const PROMPT_MS = 1500;

export class Live implements LivePrograms, vscode.Disposable {
  readonly #parts: LiveParts;
  readonly #runs: ProgramRuns;
  readonly #status = vscode.window.createStatusBarItem('parallax.live', vscode.StatusBarAlignment.Left);
  readonly #launches: DebugLaunches;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#status.name = vscode.l10n.t('Parallax: Observed Programs');
    this.#status.text = `$(eye) ${vscode.l10n.t('Observing')}`;
    this.#status.tooltip = vscode.l10n.t(
      'Parallax sees what programs retrieve that were started with it. Click to stop.',
    );
    this.#status.command = COMMANDS.stopObserving;
    this.#runs = new ProgramRuns({
      ...parts,
      actions: {
        publish: () => this.#publish(),
        captured: parts.captured,
        warn: (message) => void vscode.window.showWarningMessage(withoutLinks(message)),
        log: parts.log,
      },
    });
    this.#launches = new DebugLaunches({
      ...parts,
      plan: () => this.#runs.plan,
      start: () => this.#observe(),
      askConsent,
      environment: (plan, present) => this.#environment(plan, present),
    });
  }

  readonly handlers = {
    [COMMANDS.runWithParallax]: () => this.#run(),
    [COMMANDS.stopObserving]: () => this.#stop(),
  } satisfies Partial<Record<CommandId, CommandHandler>>;

  get observing(): boolean {
    return this.#runs.observing;
  }

  canMeasure(site: string): boolean {
    return this.#runs.callState(site) !== undefined;
  }

  hasEnded(site: string): boolean {
    return this.#runs.endedCall(site) !== undefined;
  }

  canAskForMore(site: string): boolean {
    return this.#runs.callState(site)?.takesK === true;
  }

  async askForMore(site: string, question: string, signal: AbortSignal): Promise<MorePassages | undefined> {
    const call = this.#runs.callState(site);
    if (!call) throw ended();
    const { retrieval } = call;
    const unit = askableUnit(retrieval.units, calleeOf(site));
    if (!(await agreesToAsk(unitName(unit, calleeOf(site))))) return undefined;
    const asking = { retrieval: retrieval.id, unit: unit.unit, question, k: POOL, limitMs: LIMIT_MS };
    const { passages } = await this.#runs.ask(asking, signal);
    return { k: POOL, passages };
  }

  async measure(
    site: string,
    callee: string,
    questions: readonly LiveQuestion[],
  ): Promise<MeasuredCall | undefined> {
    const call = this.#runs.callState(site);
    const measured = call
      ? await this.#measureRunning(site, call, { callee, questions })
      : await this.#measureNext(site, { callee, questions });
    if (!measured) return undefined;
    if (measured.run === '')
      throw new ParallaxError(
        'retriever-failed',
        measured.stopped ??
          measured.failed[0]?.error ??
          vscode.l10n.t('The program answered none of the questions.'),
      );
    warnOfFailures(measured, questions.length);
    const { storage } = this.#parts;
    // A new folder, because earlier comparisons still refer to their run.
    const folder = path.join(storage, Date.now().toString(36));
    await mkdir(folder, { recursive: true });
    const file = path.join(folder, 'measured.jsonl');
    await writeFile(file, measured.run, { mode: 0o600 });
    const { questions: tried, k, hasPool } = measured;
    return { file, questions: tried, k, hasPool };
  }

  dispose(): void {
    this.#runs.dispose();
    this.#status.dispose();
  }

  #publish(): void {
    void setContext(CONTEXT_KEYS.observing, this.#runs.observing);
    if (this.#runs.observing) this.#status.show();
    else this.#status.hide();
    this.#parts.onChanged();
  }

  /** The user starts the program in a terminal whose environment contains the address for reports. */
  async #run(): Promise<void> {
    const terminal = vscode.window.createTerminal(await this.terminal());
    const line = startingLine(vscode.window.activeTextEditor?.document, vscode.workspace.asRelativePath);
    terminal.show();
    await terminal.processId;
    if (line !== undefined) {
      await prompted(terminal);
      terminal.sendText(line, false);
    }
    // The editor does not request lenses again if it loses the focus at the same time, as it does to the terminal.
    this.#publish();
  }

  /** @throws ParallaxError like {@link ProgramRuns.start} */
  async terminal(): Promise<vscode.TerminalOptions> {
    const plan = await this.#observe();
    return {
      name: terminalName(),
      env: this.#environment(plan, variablesOfTerminals()),
      // The editor would store the plan of a restorable terminal.
      isTransient: true,
    };
  }

  /** A shell command as a task. @throws ParallaxError like {@link ProgramRuns.start} */
  async task(task: vscode.Task, line: string): Promise<vscode.Task> {
    const env = this.#environment(await this.#observe(), variablesOfTerminals());
    const { definition, scope, name, source } = task;
    const execution = new vscode.ShellExecution(line, { env });
    return new vscode.Task(definition, scope ?? vscode.TaskScope.Workspace, name, source, execution, []);
  }

  /** Debugged programs are observed as well, if the user agreed or programs are observed already. */
  debugged(configuration: vscode.DebugConfiguration): Promise<vscode.DebugConfiguration> {
    return this.#launches.observed(configuration);
  }

  /** @returns path of the plan */
  async #observe(): Promise<string> {
    await vscode.workspace.saveAll(false);
    const plan = await this.#runs.start();
    this.#parts
      .prepare()
      .catch((error: unknown) => this.#parts.log(`The corpus was not indexed: ${messageOf(error)}`));
    this.#publish();
    return plan;
  }

  async #stop(): Promise<void> {
    this.#launches.forget();
    await this.#runs.stop();
  }

  #environment(
    plan: string,
    present: Readonly<Record<string, string | undefined>>,
  ): Readonly<Record<string, string>> {
    const hooks = path.join(this.#parts.extensionPath, 'media', 'live');
    return liveEnvironment(
      {
        plan,
        node: this.#runs.observesNode
          ? pathToFileURL(path.join(hooks, 'node', 'register.mjs')).href
          : undefined,
        python: path.join(hooks, 'python'),
        delimiter: path.delimiter,
      },
      present,
    );
  }

  async #measureRunning(
    site: string,
    call: LiveCallState,
    { callee, questions }: { readonly callee: string; readonly questions: readonly LiveQuestion[] },
  ): Promise<CallAnswers | undefined> {
    const unit = await chosenUnit(call, callee, questions.length);
    return unit && this.#ask(site, { call, unit, callee, questions });
  }

  /** A program that has ended is measured when it is started again. */
  async #measureNext(
    site: string,
    { callee, questions }: { readonly callee: string; readonly questions: readonly LiveQuestion[] },
  ): Promise<CallAnswers | undefined> {
    const retrieval = this.#runs.endedCall(site);
    if (!retrieval) throw ended();
    const name = unitName(askableUnit(retrieval.units, callee), callee);
    if (!(await agreesToRunAgain(name, questions.length))) return undefined;
    vscode.window.terminals.find(({ name: title }) => title === terminalName())?.show();
    const title = withoutLinks(
      vscode.l10n.t('Start your program again: {0} is measured when it is called', callee),
    );
    const location = vscode.ProgressLocation.Notification;
    const answers = await vscode.window.withProgress(
      { location, title, cancellable: true },
      (progress, token) => {
        const controller = new AbortController();
        token.onCancellationRequested(() => controller.abort());
        const report = (done: number): void =>
          progress.report({
            message: vscode.l10n.t('{0} of {1} questions', done, questions.length),
            increment: 100 / questions.length,
          });
        return this.#runs.measureNext(
          { site, questions: [...questions], limitMs: LIMIT_MS },
          { signal: controller.signal, report },
        );
      },
    );
    return answersOf(questions, answers);
  }

  #ask(
    site: string,
    {
      call: { retrieval, takesK },
      unit,
      callee,
      questions,
    }: {
      readonly call: LiveCallState;
      readonly unit: LiveUnit;
      readonly callee: string;
      readonly questions: readonly LiveQuestion[];
    },
  ): Promise<CallAnswers> {
    const title = withoutLinks(vscode.l10n.t('Measuring {0} in the running program', callee));
    const location = vscode.ProgressLocation.Notification;
    const work = async (
      progress: vscode.Progress<{ message?: string; increment?: number }>,
      token: vscode.CancellationToken,
    ): Promise<CallAnswers> => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const asking = { retrieval: retrieval.id, unit: unit.unit, limitMs: LIMIT_MS };
      return measureCall(questions, {
        takesK,
        isAlive: () => this.#runs.callState(site)?.retrieval.process === retrieval.process,
        ask: (question, k) =>
          this.#runs.ask({ ...asking, question, ...(k === undefined ? {} : { k }) }, controller.signal),
        report: (done) =>
          progress.report({
            message: counted(vscode.l10n.t('{0} of {1} [1:question|questions]'), done, questions.length),
            increment: 100 / questions.length,
          }),
      });
    };
    return Promise.resolve(vscode.window.withProgress({ location, title, cancellable: true }, work));
  }
}

/** Asked once for a workspace, at its first debug launch with an open call that retrieves. */
async function askConsent(): Promise<boolean | undefined> {
  const observe = vscode.l10n.t('Observe');
  const never = vscode.l10n.t('Not in This Workspace');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('Observe what programs retrieve that you debug in this workspace?'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Parallax sees the questions and passages of the calls that it found, on this machine. The code stays as it is. Stop Observing Programs ends it.',
      ),
    },
    observe,
    never,
  );
  return answer === undefined ? undefined : answer === observe;
}

/** A text that is sent before the shell's prompt is shown twice. Shells without integration do not report it. */
function prompted(terminal: vscode.Terminal): Promise<void> {
  if (terminal.shellIntegration) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listening.dispose();
      resolve();
    };
    const timer = setTimeout(done, PROMPT_MS);
    const listening = vscode.window.onDidChangeTerminalShellIntegration((change) => {
      if (change.terminal === terminal) done();
    });
  });
}

/** Variables that an extension gives a terminal replace those of the setting. */
function variablesOfTerminals(): ReturnType<typeof terminalVariables> {
  const platform = { darwin: 'osx', win32: 'windows' }[process.platform as string] ?? 'linux';
  const settings = vscode.workspace.getConfiguration('terminal.integrated.env');
  return terminalVariables(process.env, settings.get<Record<string, string | null>>(platform));
}

function terminalName(): string {
  return vscode.l10n.t('Run with Parallax');
}

async function agreesToRunAgain(name: string, count: number): Promise<boolean> {
  const measure = vscode.l10n.t('Measure');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('Measure {0} on {1} questions?', name, count),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Your program has ended. Start it once more as before: it then calls {0} {1} times, one after the other. It may call models and write.',
        name,
        count,
      ),
    },
    measure,
  );
  return answer === measure;
}

function ended(): ParallaxError {
  return new ParallaxError(
    'retriever-failed',
    vscode.l10n.t('The program has ended. Run it with Parallax again, and let it retrieve once.'),
  );
}

/** Shows what will be called and how often, before any call. @returns `undefined` if the user does not agree */
async function chosenUnit(
  { retrieval: { units }, takesK }: LiveCallState,
  callee: string,
  count: number,
): Promise<LiveUnit | undefined> {
  const first = askableUnit(units, callee);
  const others = units.slice(1);
  const name = unitName(first, callee);
  const calls = count * (takesK ? 2 : 1);
  const measure = vscode.l10n.t('Measure');
  const another = vscode.l10n.t('Another Function…');
  const answer = await vscode.window.showInformationMessage(
    counted(vscode.l10n.t('Measure {0} on {1} [1:question|questions]?'), name, count),
    {
      modal: true,
      detail: counted(
        vscode.l10n.t(
          'Calls {0} {1} [1:time|times] in your running program, one after the other. It may call models and write.',
        ),
        name,
        calls,
      ),
    },
    measure,
    ...(others.length > 0 ? [another] : []),
  );
  if (answer === measure) return first;
  if (answer !== another) return undefined;
  const items = units.map((unit) => ({
    unit,
    label: unitName(unit, callee),
    description: `${path.basename(unit.file)}:${unit.line}`,
  }));
  const title = vscode.l10n.t('The Function That Is Asked');
  return (await vscode.window.showQuickPick(items, { title }))?.unit;
}

/** The narrowest function that can be asked a question. */
function askableUnit([first]: readonly LiveUnit[], callee: string): LiveUnit {
  if (first) return first;
  throw new ParallaxError(
    'retriever-failed',
    vscode.l10n.t(
      '{0} and the functions around it take no text, so another question cannot be asked.',
      callee,
    ),
  );
}

async function agreesToAsk(name: string): Promise<boolean> {
  const ask = vscode.l10n.t('Ask');
  const detail = vscode.l10n.t('Calls {0} once in your running program. It may call models and write.', name);
  const question = counted(vscode.l10n.t('Ask {0} for {1} [1:passage|passages]?'), name, POOL);
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, ask)) === ask;
}

/** The callee as written in the program. @param site key of the call */
const calleeOf = (site: string): string => site.split('#').at(-2) ?? site;

function unitName({ function: name, parameter }: LiveUnit, callee: string): string {
  return name === undefined ? `${callee}()` : `${name}(${parameter ?? ''})`;
}

function warnOfFailures({ failed, stopped, questions }: CallAnswers, all: number): void {
  if (stopped !== undefined)
    void vscode.window.showWarningMessage(
      withoutLinks(
        counted(
          vscode.l10n.t('{0} of {1} [1:question|questions] [0:was|were] asked before the program ended.'),
          questions.length,
          all,
        ),
      ),
    );
  if (failed.length === 0) return;
  const named = failed.slice(0, MAX_NAMED).map(({ question, error }) => `“${question}”: ${error}`);
  void vscode.window.showWarningMessage(
    withoutLinks(
      counted(
        vscode.l10n.t('{0} of {1} [1:question|questions] failed in the program. {2}'),
        failed.length,
        all,
        named.join(' '),
      ),
    ),
  );
}
