/** The side panel, the command line and the agents' tool, each with an engine and an index of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AgentTools } from '../../src/features/agents/tools/agent-tools.ts';
import { CommandLineAgentHost } from '../../src/features/agents/cli/agent-host.ts';
import { explainCommand } from '../../src/features/explain/cli/explain-command.ts';
import { configuredCorpus, placeCorpus } from '../../src/cli/local-corpus.ts';
import { LocalEngine } from '../../src/cli/local-engine.ts';
import { messageOf } from '../../src/core/errors.ts';
import { short } from '../../src/features/agents/tools/answer.ts';
import { causeText, changeText, provisionalText } from '../../src/features/explain/core/wording.ts';
import type { Pipeline } from '../../src/core/pipeline.ts';
import { InspectorController } from '../../src/features/inspector/host/inspector-controller.ts';
import type { InspectorOptions } from '../../src/features/inspector/host/inspector-options.ts';
import { configSchema, type ParallaxConfig } from '../../src/shared/config.ts';
import type { Result } from '../../src/shared/rpc.ts';

/** One question about one document. */
export interface Missing {
  readonly document: string;
  readonly question: string;
  readonly pipeline: Pipeline;
}

export interface NamedMissing extends Missing {
  /** The name of the pipeline in `parallax.json`. */
  readonly name: string;
}

/** What a surface shows, or the sentence with which it fails. */
export interface Shown {
  readonly cause: string;
  readonly k: number;
  readonly rank: number | undefined;
  readonly change: string | undefined;
  readonly says: string;
  /** The change, or that there is none. */
  readonly advice: string;
}

export type Answered = Shown | { readonly failure: string };

/** In milliseconds. */
export interface Taken {
  readonly wall: number;
  /** Of the processor, in all threads: other programs hardly change it. */
  readonly processor: number;
}

export async function takenBy(work: () => Promise<unknown>): Promise<Taken> {
  const begun = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - begun, processor: (user + system) / 1_000 };
}

interface Asked {
  readonly explanation: Explanation | undefined;
  /** A sentence, if there is no explanation. */
  readonly failure: string | undefined;
  readonly taken: Taken;
}

type Explanation = Result<'explain'>;

/** The agents' tool cuts longer sentences. */
const MAX_SAID = 600;

const quiet = { stdout: () => undefined, stderr: (text: string) => void process.stderr.write(text) };

export function shown(explanation: Explanation): Shown {
  const { cause, k, rank, change } = explanation;
  return {
    ...{ cause, k, rank, change: change?.label },
    says: short([causeText(explanation), provisionalText(explanation)].join(' '), MAX_SAID),
    advice: changeText(explanation),
  };
}

const failed = (error: unknown): Answered => ({ failure: messageOf(error) });

/** A folder with documents and `parallax.json`. */
export class Folder {
  readonly place: string;
  readonly corpus: string;

  constructor(place: string, corpus: string) {
    this.place = place;
    this.corpus = corpus;
  }

  write(file: string, text: string): void {
    const place = path.join(this.place, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }

  get file(): string {
    return path.join(this.place, 'parallax.json');
  }

  configure(corpora: object, pipelines: Readonly<Record<string, Pipeline>>): ParallaxConfig {
    const text = JSON.stringify({ version: 2, corpora, pipelines });
    writeFileSync(this.file, text);
    return configSchema.parse(JSON.parse(text));
  }

  /** The folder of an index, one for each surface. */
  store(name: string): string {
    return path.join(this.place, 'stores', name);
  }
}

/** The side panel without the editor. Its engine is opened before. */
export class Panel implements AsyncDisposable {
  readonly engine: LocalEngine;
  readonly #controller: InspectorController;

  private constructor(engine: LocalEngine, corpus: string, config: ParallaxConfig) {
    this.engine = engine;
    const unused = (): never => {
      throw new Error('No question needs this.');
    };
    const memory = new Map<string, unknown>([['corpus', corpus]]);
    const options: Omit<InspectorOptions, 'actions'> & { readonly actions: object } = {
      engine: { request: (method, params, work) => engine.request(method, params, work) },
      workspace: () => ({ open: true, config: { ...config, corpus }, evalQueries: [] }),
      trusted: () => true,
      settings: () => ({
        ...{ judge: 'labels', autoJudge: false, autoIndex: false, confirmCallsAbove: 0, requestBudget: 0 },
        ...{ prices: {}, historySize: 1, lookDeeperPassages: 1, suggestFrom: 'question', suggestCount: 1 },
      }),
      memory: { get: (key) => memory.get(key) as never, set: (key, value) => memory.set(key, value) },
      userName: () => 'bench',
      programs: {
        canAskForMore: () => false,
        faults: () => [],
        open: () => Promise.resolve(),
        askForMore: unused,
      },
      actions: {
        publish: () => undefined,
        showExplanation: () => undefined,
        indexedChanged: () => undefined,
        log: () => undefined,
      },
    };
    this.#controller = new InspectorController(options as InspectorOptions);
  }

  /** @param store the name of its index */
  static async open(folder: Folder, config: ParallaxConfig, store = 'panel'): Promise<Panel> {
    const source = configuredCorpus(folder.corpus, config, folder.place)!;
    const placed = await placeCorpus(source, folder.store(store), config);
    const panel = new Panel(await LocalEngine.open(placed.options, quiet), folder.corpus, config);
    await panel.#controller.handle({ type: 'index' });
    return panel;
  }

  /** Reads new and changed documents. */
  async index(): Promise<void> {
    await this.#controller.handle({ type: 'index' });
  }

  async answer(missing: Missing): Promise<Answered> {
    const { explanation, failure = '' } = await this.ask(missing);
    return explanation ? shown(explanation) : { failure };
  }

  /** Asks the question and then about the document, as a user does. `taken` is the time of the second. */
  async ask({ document, question, pipeline }: Missing): Promise<Asked> {
    const controller = this.#controller;
    await controller.handle({ type: 'end-explanation' });
    await controller.handle({ type: 'dismiss-error' });
    await controller.inspect(question, pipeline);
    // Otherwise its passages are still compared with each other during the explanation.
    await controller.inView.refreshLikeness();
    const taken = await takenBy(async () => {
      if (controller.state().error === undefined) await controller.handle({ type: 'explain', document });
    });
    const { missing, error } = controller.state();
    return { explanation: missing?.explanation, failure: error?.message, taken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.dispose();
    await this.engine[Symbol.asyncDispose]();
  }
}

/** `parallax explain`, in this process, with an engine for every question. */
export class CommandLine {
  readonly #folder: Folder;

  constructor(folder: Folder) {
    this.#folder = folder;
  }

  async answer({ document, question, name: pipeline }: NamedMissing): Promise<Answered> {
    const { corpus, file: config } = this.#folder;
    const options = { query: question, document, corpus, config, pipeline, store: this.#folder.store('cli') };
    const args = Object.entries({ ...options, json: '-' }).map(([name, value]) => `--${name}=${value}`);
    let written = '';
    try {
      await explainCommand(args, { stdout: (text) => (written += text), stderr: () => undefined });
    } catch (error) {
      return failed(error);
    }
    return shown(JSON.parse(written) as Explanation);
  }
}

/** `explain_missing`, as `parallax mcp` serves it. */
export class AgentsTool implements AsyncDisposable {
  readonly #host: CommandLineAgentHost;
  readonly #tools: AgentTools;
  readonly #corpus: string;

  private constructor(host: CommandLineAgentHost, corpus: string) {
    this.#host = host;
    this.#tools = new AgentTools(host);
    this.#corpus = corpus;
  }

  static async open(folder: Folder): Promise<AgentsTool> {
    const options = { config: folder.file, store: folder.store('agents'), judge: 'labels', budget: 0 };
    return new AgentsTool(await CommandLineAgentHost.open(options, quiet), folder.corpus);
  }

  async answer({ document, question, name: pipeline }: NamedMissing): Promise<Answered> {
    const input = { query: question, document, pipeline, corpus: this.#corpus };
    try {
      const answer = JSON.parse(await this.#tools.call('explain_missing', input, {})) as ToolAnswer;
      const { cause, k, rank, says, change } = answer;
      return { cause, k, rank, says, change: change?.label, advice: change?.says ?? '' };
    } catch (error) {
      return failed(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
  }
}

interface ToolAnswer {
  readonly cause: string;
  readonly k: number;
  readonly rank?: number;
  readonly says: string;
  readonly change: { readonly says: string; readonly label?: string } | null;
}
