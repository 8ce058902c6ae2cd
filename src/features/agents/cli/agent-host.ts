/** The host of agents' tools on the command line: a folder with `parallax.json`, and an engine in this process. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CLIENT_JUDGE, type ClientModel } from './client-model.ts';
import { CallBudget } from '../tools/call-budget.ts';
import type { AgentHost, AgentWork, AgentWorkspace, KnownFigures } from '../tools/host.ts';
import type { Program } from '../tools/programs.ts';
import { configReaches, notAgreed } from '../tools/reaches.ts';
import { EvalSetReading } from '../../../core/formats/queries.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { readText } from '../../../engine/files/reading.ts';
import { readInputLines } from '../../../engine/files/read-input.ts';
import { makeTemporaryFolder } from '../../../engine/store/temporary-folder.ts';
import { LABELS_FILE, type ParallaxConfig } from '../../../shared/config.ts';
import { corporaWithout, defaultConfig } from '../../../shared/defaults/default-config.ts';
import { countingJudgeName, JUDGES_WITHOUT_EDITOR } from '../../../shared/named-judges.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import type { EngineMethod, Params, Result } from '../../../shared/rpc.ts';
import { rulesOf } from '../../../sites/rules/library.ts';
import type { Neighbours } from '../../../sites/workspace/neighbours.ts';
import type { SiteDetector } from '../../../sites/detector.ts';
import { configuredEvalSets } from '../../../cli/configured-eval-sets.ts';
import { FolderPrograms } from '../../../cli/folder-programs.ts';
import { configuredCorpus, placedCorpus } from '../../../cli/local-corpus.ts';
import { LocalEngine, type LocalEngineOptions } from '../../../cli/local-engine.ts';
import { folderOfConfig, readConfig } from '../../../cli/options/read-config.ts';
import { usableStore, type UsableStore } from '../../../cli/read-only-store.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';

export interface AgentHostOptions {
  /** Path of parallax.json. If it does not exist, the defaults for its folder apply. */
  readonly config: string;
  /**
   * Folder of indexes and cached model answers; copied if it is not writable. Defaults to a temporary folder for
   * indexes.
   */
  readonly store: string | undefined;
  /** Name of the judge. Defaults to the configured one. */
  readonly judge: string | undefined;
  /** Requests to models, over all calls. */
  readonly budget: number;
  /** Judges if no judge is configured, if the client lets it and there is a budget. */
  readonly client?: ClientModel | undefined;
}

export class CommandLineAgentHost implements AgentHost, AsyncDisposable {
  readonly #options: AgentHostOptions;
  readonly #agreed: ReadonlySet<string>;
  /** The folder of parallax.json; absolute. */
  readonly #base: string;
  readonly #programs: FolderPrograms;
  readonly #place: StorePlace;
  readonly #engine: LocalEngine;
  readonly #budget: CallBudget;
  readonly #warn: (message: string) => void;

  private constructor(
    options: AgentHostOptions,
    place: StorePlace,
    { engine, config }: { readonly engine: LocalEngine; readonly config: ParallaxConfig },
    io: Io,
  ) {
    this.#options = options;
    this.#agreed = configReaches(config, true);
    this.#base = folderOfConfig(options.config);
    this.#place = place;
    this.#warn = (message) => io.stderr(`${message}\n`);
    this.#programs = new FolderPrograms(this.#base, this.#warn);
    this.#engine = engine;
    this.#budget = new CallBudget({ limit: options.budget, setBy: '--budget', beyond: 'refuse' });
  }

  get configFile(): string {
    return path.basename(this.#options.config);
  }

  get detector(): SiteDetector {
    return this.#programs.detector;
  }

  /** @throws UsageError for an unknown judge, ParallaxError for a configuration that cannot be read */
  static async open(options: AgentHostOptions, io: Io): Promise<CommandLineAgentHost> {
    const { config } = await configOf(options.config);
    judgeOf(options, config);
    const place = await storeOf(options, io);
    const engine = await LocalEngine.open(
      engineOptions(options, place, config),
      io,
      place.temporary,
      undefined,
      options.client,
    );
    return new CommandLineAgentHost(options, place, { engine, config }, io);
  }

  /** Allows only what the configuration named when the server started. */
  requireAgreed(config: ParallaxConfig): Promise<void> {
    const added = [...configReaches(config, true)].filter((reach) => !this.#agreed.has(reach));
    return added.length === 0
      ? Promise.resolve()
      : Promise.reject(notAgreed(added, 'A person may start parallax mcp again to allow it.'));
  }

  /** Reads the files on every call, so that a long-running server sees edits. */
  async workspace(): Promise<AgentWorkspace> {
    const { config, configured } = await configOf(this.#options.config);
    await this.requireAgreed(config);
    await this.#engine.configure(engineOptions(this.#options, this.#place, config));
    return {
      config,
      evalQueries: await readEvalQueries(config, this.#base, configured ? this.#warn : () => undefined),
      // Running the command line on a configuration implies trust in it.
      trusted: true,
      judge: judgeOf(this.#options, config),
      judges: { ...JUDGES_WITHOUT_EDITOR, ...judgesOf(this.#options, config) },
      prices: {},
      rules: rulesOf(config),
      configured,
    };
  }

  async readText(file: string): Promise<string> {
    const place = path.join(this.#base, file);
    return existsSync(place) ? readText(place, { boundary: this.#base }) : '';
  }

  async writeText(file: string, text: string): Promise<void> {
    await writeText(path.join(this.#base, file), text, this.#base);
  }

  request<M extends EngineMethod>(method: M, params: Params<M>, work: AgentWork): Promise<Result<M>> {
    return this.#engine.request(method, params, work);
  }

  /** Files are not watched, so every run checks for changes. */
  async prepareCorpus(corpus: string, work: AgentWork): Promise<void> {
    await this.request('index', { corpus, rebuild: false }, work);
  }

  programs(file: string | undefined, signal: AbortSignal | undefined): AsyncIterable<Program> {
    return this.#programs.programs(file, signal);
  }

  neighbours(workspace: Pick<AgentWorkspace, 'rules'>): Neighbours {
    return this.#programs.neighbours(workspace);
  }

  /** Figures are not stored between runs here. */
  figuresOf(): KnownFigures | undefined {
    return undefined;
  }

  budget(): CallBudget {
    return this.#budget;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#programs.detector.dispose();
    await this.#engine[Symbol.asyncDispose]();
  }
}

/** Reads the configuration like the editor. */
async function configOf(
  file: string,
): Promise<{ readonly config: ParallaxConfig; readonly configured: boolean }> {
  const base = folderOfConfig(file);
  if (!existsSync(file)) {
    const labels = path.join(base, LABELS_FILE);
    const text = existsSync(labels) ? await readText(labels) : '';
    return { config: defaultConfig(base, text), configured: false };
  }
  const config = await readConfig(file);
  const hasCorpora = Object.keys(config.corpora).length > 0;
  return {
    config: hasCorpora ? config : { ...config, corpora: corporaWithout(base, config) },
    configured: true,
  };
}

interface StorePlace extends UsableStore {
  /** Whether cached answers are stored in it, instead of where other commands find them. */
  readonly keepsAnswers: boolean;
}

async function storeOf({ store }: AgentHostOptions, io: Io): Promise<StorePlace> {
  if (store !== undefined) return { ...(await usableStore(store, io)), keepsAnswers: true };
  const folder = await makeTemporaryFolder('mcp');
  return { folder, temporary: folder, keepsAnswers: false };
}

function engineOptions(
  options: AgentHostOptions,
  { folder, keepsAnswers }: StorePlace,
  config: ParallaxConfig,
): LocalEngineOptions {
  const base = folderOfConfig(options.config);
  const corpora = Object.keys(config.corpora).map((name) =>
    placedCorpus(configuredCorpus(name, config, base)!, folder),
  );
  const models = { ...config, judges: judgesOf(options, config) };
  return { base, storage: keepsAnswers ? folder : undefined, corpora, models };
}

/** The configured judges, and the client's model if it can be asked. A judge of the user's with its name comes first. */
function judgesOf(
  { client, budget }: AgentHostOptions,
  { judges }: ParallaxConfig,
): ParallaxConfig['judges'] {
  return client?.isOffered && budget > 0 ? { [CLIENT_JUDGE]: client.judge, ...judges } : judges;
}

/** @throws UsageError for an unknown judge */
function judgeOf(options: AgentHostOptions, config: ParallaxConfig): string {
  const judges = judgesOf(options, config);
  const name =
    options.judge ?? config.judge ?? (Object.hasOwn(judges, CLIENT_JUDGE) ? CLIENT_JUDGE : 'labels');
  const known = [...new Set([...Object.keys(JUDGES_WITHOUT_EDITOR), ...Object.keys(judges)])];
  // Agents take answers as results, so beside a judge that guesses only human labels count.
  if (known.includes(name)) return countingJudgeName(name, judges);
  throw new UsageError(`There is no judge "${name}" on the command line. Available: ${known.join(', ')}.`);
}

async function readEvalQueries(
  config: ParallaxConfig,
  base: string,
  warn: (message: string) => void,
): Promise<EvalQuery[]> {
  const evalQueries: EvalQuery[] = [];
  for (const evalSet of await configuredEvalSets(config, base, warn)) {
    const file = path.join(base, evalSet);
    const { queries, warnings } = await readInputLines(file, new EvalSetReading(evalSet), evalSet);
    for (const warning of warnings) warn(warning);
    evalQueries.push(...queries.map((query) => ({ ...query, evalSet })));
  }
  return evalQueries;
}
