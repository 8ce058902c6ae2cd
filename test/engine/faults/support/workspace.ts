/** A workspace whose corpus changes step by step, and the configuration of its engines. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parsePipeline, type Pipeline } from '../../../../src/core/pipeline.ts';
import { corpusSchema, embedderSchema } from '../../../../src/shared/config.ts';
import { judgeSchema } from '../../../../src/shared/judge-config.ts';
import type { EngineConfig } from '../../../../src/shared/requests/configuration.ts';
import { between, seededRandom, type Random } from '../../../../bench/support/random.ts';

export const CORPUS = 'docs';
export const JUDGE = 'scripted';

/** Common words occur in many passages, rare ones in few. */
const VOCABULARY = Array.from({ length: 400 }, (_, n) => `word${String.fromCharCode(97 + (n % 26))}${n}`);

export interface WorkspaceOptions {
  readonly seed: number;
  /** Files of one passage or a few. */
  readonly files: number;
  /** Records of a file that is stored in several transactions. Defaults to none. */
  readonly records?: number;
}

export class Workspace {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'parallax-faults-'));
  readonly #random: Random;
  #files: string[] = [];
  #next = 0;

  constructor({ seed, files, records = 0 }: WorkspaceOptions) {
    this.#random = seededRandom(seed);
    mkdirSync(path.join(this.folder, 'docs'));
    for (let n = 0; n < files; n++) this.addFile();
    if (records > 0) this.writeRecords(records);
  }

  /** Absolute path of a document. */
  file(name: string): string {
    return path.join(this.folder, 'docs', name);
  }

  get files(): readonly string[] {
    return this.#files;
  }

  /** Records documents that were replaced from outside. */
  takeStock(): void {
    this.#files = readdirSync(path.join(this.folder, 'docs'));
  }

  addFile(): string {
    const name = `file-${this.#next++}.md`;
    this.#files.push(name);
    this.rewrite(name);
    return name;
  }

  rewrite(name: string): void {
    writeFileSync(this.file(name), `${this.text(between(this.#random, 30, 250))}\n`);
  }

  removeFile(): void {
    const place = between(this.#random, 0, this.#files.length - 1);
    const [name] = this.#files.splice(place, 1);
    if (name !== undefined) rmSync(this.file(name), { recursive: true });
  }

  writeRecords(records: number): void {
    const lines = Array.from(
      { length: records },
      (_, n) => `${JSON.stringify({ _id: `r${n}`, text: this.text(between(this.#random, 10, 40)) })}\n`,
    );
    writeFileSync(this.file('records.jsonl'), lines.join(''));
  }

  /** Adds, removes and changes some files, and records if there are any. */
  change(share: number, records = 0): void {
    const count = Math.ceil(this.#files.length * share);
    for (let n = 0; n < count; n++) this.removeFile();
    for (let n = 0; n < count; n++) this.addFile();
    for (const name of this.#files.slice(0, count)) this.rewrite(name);
    if (records > 0) this.writeRecords(records);
  }

  text(words: number): string {
    const word = (): string => VOCABULARY[Math.floor(VOCABULARY.length * this.#random() ** 2)]!;
    return Array.from({ length: words }, word).join(' ');
  }

  /** @param modelUrl base URL of a model server, if models are asked */
  config(storage = 'storage', modelUrl = 'http://127.0.0.1:9/v1'): EngineConfig {
    const folder = path.resolve(this.folder, storage);
    return {
      storage: folder,
      base: this.folder,
      trusted: true,
      corpora: [
        {
          name: CORPUS,
          base: this.folder,
          config: corpusSchema.parse({ roots: ['docs'], split: { type: 'words', size: 50 } }),
          excludeGlobs: [],
          store: path.join(folder, CORPUS),
        },
      ],
      embedders: {
        remote: embedderSchema.parse({ type: 'openai', baseUrl: modelUrl, model: 'vectors', batchSize: 32 }),
        small: embedderSchema.parse({ type: 'hashing', dimensions: 16 }),
      },
      judges: {
        [JUDGE]: judgeSchema.parse({
          type: 'openai',
          mode: 'pair',
          baseUrl: modelUrl,
          model: 'judge',
          concurrency: 4,
        }),
      },
      keys: {},
      labelsFile: path.join(this.folder, '.parallax/judgements.jsonl'),
      approximateAbove: 1_000_000,
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The maximum depth, which exceeds the size of every corpus here, so that ties at the end hide no difference. */
const DEPTH = 1_000;

export const BM25 = parsePipeline({ retriever: { type: 'bm25' }, k: DEPTH, candidates: DEPTH });

export function densePipeline(
  embedder: string,
  search: 'exact' | 'approximate' = 'exact',
  depth = DEPTH,
): Pipeline {
  return parsePipeline({ retriever: { type: 'dense', embedder, search }, k: depth, candidates: depth });
}

export const QUESTIONS: readonly string[] = [0, 7, 60, 200, 399].map((n) =>
  [VOCABULARY[n], VOCABULARY[(n * 7 + 1) % 400], VOCABULARY[(n * 3 + 2) % 400]].join(' '),
);
