/**
 * Runs a command and observes its calls through environment variables only; input, output, signals and exit code are
 * the command's own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { observedCalls } from '../../agents/tools/live-plan.ts';
import type { ListedSite } from '../../agents/tools/sites.ts';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { childEnvironment } from '../../../core/external/child-environment.ts';
import { endTree, killTree } from '../../../engine/concurrency/process-tree.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { liveEnvironment, tooOldText } from '../contract/environment.ts';
import { LIVE_VARIABLE, type LiveMeasure } from '../contract/protocol.ts';
import type { LiveEvent } from '../contract/requests.ts';
import { rulesOf } from '../../../sites/rules/library.ts';
import { ENDING_SIGNALS } from '../../../cli/end-with-caller.ts';
import { FolderPrograms } from '../../../cli/folder-programs.ts';
import { LocalEngine } from '../../../cli/local-engine.ts';
import type { Io } from '../../../cli/presentation/terminal.ts';

/** Milliseconds that a measured program has to end on a signal. */
const GRACE_MS = 5000;

export interface LiveSession {
  /** The folder whose programs are searched for calls; absolute. */
  readonly base: string;
  readonly config: ParallaxConfig;
  readonly command: readonly [string, ...string[]];
  /**
   * Set for a command of parallax.json as part of a report: it runs in the folder, writes only to standard error, and
   * gets only these secrets of the environment.
   */
  readonly withinReport?: { readonly inherit: readonly string[] } | undefined;
  /**
   * Milliseconds without an answer after which the command is killed, with what it started. `undefined`: it may run for
   * ever.
   */
  readonly endAfterMs?: number | undefined;
  /** Selects what to measure among the sites found. @throws UsageError if there is no such site */
  readonly measure?: ((sites: readonly ListedSite[]) => LiveMeasure) | undefined;
  /** @param sites all sites found */
  readonly onEvent: (event: LiveEvent, sites: readonly ListedSite[]) => void;
}

export interface LiveOutcome {
  readonly code: number;
  /** The signal that ended the command. */
  readonly signal: NodeJS.Signals | null;
  /** The signal that ends Parallax itself, and was passed on to the command. */
  readonly interrupted: NodeJS.Signals | undefined;
  /** Whether it was killed after `endAfterMs`. */
  readonly isOverdue: boolean;
  readonly sites: readonly ListedSite[];
  /** Keys of the sites to observe. */
  readonly observed: ReadonlySet<string>;
}

type Ready = Extract<LiveEvent, { readonly type: 'ready' }>;

/** @throws ParallaxError `not-found` if the command cannot be run, the UsageError of `measure` */
export async function runLive(session: LiveSession, io: Io): Promise<LiveOutcome> {
  const { base, config, command, endAfterMs, onEvent } = session;
  // Programs report to one Parallax.
  if (existsSync(process.env[LIVE_VARIABLE] ?? ''))
    io.stderr('parallax: an editor observes this terminal. It does not see what this command retrieves.\n');
  const { texts, sites } = await observedCalls(new FolderPrograms(base), { rules: rulesOf(config) });
  const measure = session.measure?.(sites);
  const places = Object.fromEntries(sites.map(({ key, file, line }) => [key, { file, line }]));
  await using engine = await LocalEngine.open(
    { base, models: { embedders: {}, judges: {} }, labelsFile: null },
    io,
  );
  const ending = new AbortController();
  const ready = Promise.withResolvers<Ready>();
  const overdue = new AbortController();
  let limit: NodeJS.Timeout | undefined;
  const observing = engine
    .request(
      'live/start',
      { texts, sites: places, keep: 'none', program: command[0], ...(measure ? { measure } : {}) },
      {
        signal: ending.signal,
        onNote: (note) => {
          if (note.type !== 'live') return;
          if (note.event.type === 'ready') ready.resolve(note.event);
          if (note.event.type === 'answer' || note.event.type === 'failed-answer') limit?.refresh();
          onEvent(note.event, sites);
        },
      },
    )
    .catch((error: unknown) => ready.reject(error));
  try {
    const plan = await ready.promise;
    if (plan.oldNode !== undefined) io.stderr(`parallax: ${tooOldText(plan.oldNode)}\n`);
    if (endAfterMs !== undefined) limit = setTimeout(() => overdue.abort(), endAfterMs);
    const ended = await runCommand(session, plan, overdue.signal);
    return {
      ...ended,
      sites,
      observed: new Set(texts.flatMap(({ calls }) => calls.map(({ site }) => site))),
    };
  } finally {
    clearTimeout(limit);
    ending.abort();
    await observing;
  }
}

async function runCommand(
  { command: [name, ...rest], base, withinReport, endAfterMs }: LiveSession,
  { plan, node }: Ready,
  overdue: AbortSignal,
): Promise<Pick<LiveOutcome, 'code' | 'signal' | 'interrupted' | 'isOverdue'>> {
  const folder = hooksFolder();
  const environment = liveEnvironment(
    {
      plan,
      node: node ? pathToFileURL(path.join(folder, 'node', 'register.mjs')).href : undefined,
      python: path.join(folder, 'python'),
      delimiter: path.delimiter,
    },
    process.env,
  );
  const child = spawn(name, rest, {
    env: {
      ...(withinReport ? childEnvironment(process.env, withinReport.inherit) : process.env),
      ...environment,
    },
    ...(withinReport
      ? { cwd: base, stdio: ['inherit', process.stderr.fd, 'inherit'] }
      : { stdio: 'inherit' }),
  });
  let end = Promise.resolve();
  const kill = (): void => {
    if (child.pid !== undefined) end = killTree(child.pid);
  };
  overdue.addEventListener('abort', kill);
  let interrupted: NodeJS.Signals | undefined;
  // A terminal sends its signals to the whole group, so the command has received Ctrl+C already.
  const passOn = ENDING_SIGNALS.map((signal) => {
    const listener = (): void => {
      interrupted = signal;
      const sent = signal === 'SIGINT' && process.stdin.isTTY ? undefined : signal;
      if (endAfterMs !== undefined && child.pid !== undefined) end = endTree(child.pid, sent, GRACE_MS);
      else if (sent) child.kill(sent);
    };
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  });
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code: code ?? 1, signal, interrupted, isOverdue: overdue.aborted };
  } catch (error) {
    throw new ParallaxError('not-found', `${name} cannot be run: ${messageOf(error)}.`, { cause: error });
  } finally {
    overdue.removeEventListener('abort', kill);
    await end;
    for (const stop of passOn) stop();
  }
}

/** Ends this process as the signal does that it received. */
export function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Bundled code is in dist or a subfolder; run from source, the hooks are in the repository's folder. */
function hooksFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const folders = ['..', '../..', '../../../..'].map((up) => path.resolve(here, up, 'media', 'live'));
  const hooks = folders.find((folder) => existsSync(path.join(folder, 'node', 'register.mjs')));
  if (hooks === undefined)
    throw new ParallaxError('native-missing', 'media/live is missing. Install Parallax again.');
  return hooks;
}
