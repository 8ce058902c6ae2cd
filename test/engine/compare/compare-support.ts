/** Comparisons on corpora in temporary folders, through the engine's requests. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import { formatLabel, labelSchema, type Label } from '../../../src/core/formats/labels.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import type { RequestContext } from '../../../src/engine/requests/request.ts';
import {
  evaluationSchema,
  type Evaluation,
  type DatasetEvaluation,
} from '../../../src/evaluation/evaluation.ts';
import { configSchema, corpusSchema, LABELS_FILE } from '../../../src/shared/config.ts';
import type { EngineConfig } from '../../../src/shared/requests/configuration.ts';
import type { Params } from '../../../src/shared/rpc.ts';
import { engineConfig } from '../../fixtures/workspace.ts';
import '../../fixtures/built.ts';

export type EvalQueries = Params<'compare'>['datasets'][number]['queries'];
/** By name; as pairs if a name occurs twice. */
export type Pipelines =
  | Readonly<Record<string, PipelineInput>>
  | readonly (readonly [string, PipelineInput])[];

export const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };
export const BM25: PipelineInput = { retriever: { type: 'bm25' } };
/** By spelling, so that a text without words has no vector. */
export const DENSE: PipelineInput = { retriever: { type: 'dense', embedder: 'hashing' } };

/** A workspace folder with corpora, labels and storage, and the engine that works on it. */
export class Workspace {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'parallax-compare-'));
  readonly logged: string[] = [];
  engine = this.#newEngine();
  #config = engineConfig(this.folder, {}, { approximateAbove: 100_000 });

  constructor(t: TestContext) {
    t.after(async () => {
      await this.engine.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  get config(): EngineConfig {
    return this.#config;
  }

  get database(): string {
    return path.join(this.folder, 'storage', 'judgements.sqlite');
  }

  #newEngine(): Engine {
    return createEngine(undefined, (message) => this.logged.push(message));
  }

  /** Changes the configuration, as an edit of `parallax.json` does. */
  async configure(change: Partial<EngineConfig> = {}): Promise<void> {
    this.#config = { ...this.#config, ...change };
    await this.engine.configure(this.#config);
  }

  /** Ends the engine, and starts another one on the same folders. */
  async restart(): Promise<void> {
    await this.engine.close();
    this.engine = this.#newEngine();
    await this.engine.configure(this.#config);
  }

  /** A corpus of records, one passage each; indexed. */
  async corpus(name: string, passages: Readonly<Record<string, string>>): Promise<void> {
    await this.unindexedCorpus(name, passages);
    await this.index(name);
  }

  async unindexedCorpus(name: string, passages: Readonly<Record<string, string>>): Promise<void> {
    this.write(name, passages);
    await this.addCorpus(name, path.join(this.folder, `${name}.jsonl`));
  }

  /** A corpus of records at any path, not indexed yet. */
  async addCorpus(name: string, file: string): Promise<void> {
    const corpus = {
      name,
      base: this.folder,
      config: corpusSchema.parse({ roots: [path.resolve(file)], split: { type: 'none' } }),
      excludeGlobs: [],
      store: path.join(this.folder, 'storage', name),
    };
    await this.configure({ corpora: [...this.#config.corpora, corpus] });
  }

  write(name: string, passages: Readonly<Record<string, string>>): void {
    const lines = Object.entries(passages).map(([id, text]) => JSON.stringify({ _id: id, title: id, text }));
    writeFileSync(path.join(this.folder, `${name}.jsonl`), lines.join('\n'));
  }

  index(corpus: string): Promise<unknown> {
    return this.engine.index({ corpus, rebuild: false }, context);
  }

  /** Human labels: "query perspective document", every one a yes; "!" in front of the document for a no. */
  label(...lines: readonly string[]): void {
    this.labelQueries([], ...lines);
  }

  /** Like {@link label}, for queries whose perspectives have other texts. */
  labelQueries(queries: EvalQueries, ...lines: readonly string[]): void {
    const labels = lines.map((line) => {
      const [query, perspective, document = ''] = line.split(' ');
      const asked = queries.find(({ id }) => id === query)?.perspectives.find(({ id }) => id === perspective);
      return labelSchema.parse({
        v: 1,
        query,
        perspective,
        perspectiveText: asked?.text ?? `${query} ${perspective}`,
        document: document.replace('!', ''),
        verdict: document.startsWith('!') ? 'no' : 'yes',
        by: { kind: 'human', name: 'me' },
        at: new Date().toISOString(),
      });
    });
    this.addLabels(labels);
  }

  addLabels(labels: readonly Label[]): void {
    const file = path.join(this.folder, LABELS_FILE);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, labels.map(formatLabel).join(''), { flag: 'a' });
  }

  async compare(
    pipelines: Pipelines,
    datasets: readonly (Partial<Params<'compare'>['datasets'][number]> & { queries: EvalQueries })[],
    options: { readonly judge?: string; readonly k?: number; readonly context?: RequestContext } = {},
  ): Promise<Evaluation> {
    const { judge = 'labels', k = 5 } = options;
    const params = {
      judge,
      datasets: datasets.map((dataset) => ({
        name: 'set',
        corpus: 'corpus',
        evalSet: 'set.jsonl',
        ...dataset,
      })),
      pipelines: (isList(pipelines) ? pipelines : Object.entries(pipelines)).map(([name, input]) => ({
        name,
        pipeline: parsePipeline(input),
      })),
      k,
    };
    return evaluationSchema.parse(await this.engine.compare(params, options.context ?? context));
  }
}

function isList(pipelines: Pipelines): pipelines is readonly (readonly [string, PipelineInput])[] {
  return Array.isArray(pipelines);
}

/** The sample workspace, its corpus indexed. */
export async function sampleWorkspace(
  t: TestContext,
): Promise<{ workspace: Workspace; queries: EvalQueries }> {
  const workspace = new Workspace(t);
  const { folder } = workspace;
  cpSync('media/sample', folder, { recursive: true });
  const { corpora } = configSchema.parse(
    JSON.parse(readFileSync(path.join(folder, 'parallax.json'), 'utf8')),
  );
  await workspace.configure({ corpora: engineConfig(folder, { corpora }).corpora });
  await workspace.index('handbook');
  return { workspace, queries: readEvalSet(path.join(folder, 'eval/questions.parallax.jsonl')) };
}

export function readEvalSet(file: string): EvalQueries {
  return parseEvalSet(readFileSync(file, 'utf8'), file).queries;
}

/** A query whose perspectives have texts that {@link Workspace.label} can label. */
export function evalQuery(
  id: string,
  text: string,
  ...perspectives: readonly (
    | string
    | { id: string; stance?: 'support' | 'oppose'; group?: string; text?: string }
  )[]
): EvalQueries[number] {
  return {
    id,
    text,
    perspectives: perspectives.map((perspective) => ({
      text: `${id} ${typeof perspective === 'string' ? perspective : perspective.id}`,
      ...(typeof perspective === 'string' ? { id: perspective } : perspective),
    })),
  };
}

export function only({ datasets }: Evaluation): DatasetEvaluation {
  assert.equal(datasets.length, 1);
  return datasets[0]!;
}

export async function refuses(work: Promise<unknown>, message: RegExp, id: ErrorId): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(ParallaxError.is(error, id), String(error));
    assert.match(error.message, message);
    return true;
  });
}
