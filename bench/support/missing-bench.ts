/** A folder of documents with the side panel over it, and the command line and the agents' tool beside it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parsePipeline, type Pipeline } from '../../src/core/pipeline.ts';
import type { Result } from '../../src/shared/rpc.ts';
import {
  AgentsTool,
  CommandLine,
  Folder,
  Panel,
  shown,
  type Answered,
  type Missing,
} from './missing-surfaces.ts';
import { PASSAGE, type Planted } from './planted-causes.ts';

const CORPUS = 'docs';
const CORPORA = {
  [CORPUS]: {
    roots: ['docs'],
    exclude: ['excluded/**'],
    split: { type: 'words', size: PASSAGE, overlap: 0 },
  },
};
const HASHED = parsePipeline({ retriever: { type: 'dense', embedder: 'hashing' } });

export interface Outcome extends Planted {
  /** The side panel's. */
  readonly answer: Answered;
  readonly hasChange: boolean;
  /** Whether the change, if there is one, is the first of those tried that retrieves the document. */
  readonly holds: boolean;
}

/** What the panel, the command line and the agents' tool answer. */
export type Agreement = readonly [panel: Answered, commandLine: Answered, tool: Answered];

export const agree = ([first, ...others]: Agreement): boolean =>
  others.every((each) => isDeepStrictEqual(each, first));

export class MissingBench {
  readonly folder: Folder;
  readonly panel: Panel;

  private constructor(folder: Folder, panel: Panel) {
    this.folder = folder;
    this.panel = panel;
  }

  static async open(texts: Readonly<Record<string, string>>): Promise<MissingBench> {
    const folder = new Folder(mkdtempSync(path.join(tmpdir(), 'parallax-why-not-')), CORPUS);
    for (const [file, text] of Object.entries(texts)) folder.write(file, text);
    return new MissingBench(folder, await Panel.open(folder, folder.configure(CORPORA, {})));
  }

  /** The documents of the candidates, best first. */
  async ranking(question: string, pipeline: Pipeline): Promise<string[]> {
    const candidates = await this.candidates(question, pipeline, pipeline.candidates);
    return candidates.map(({ documentId }) => documentId);
  }

  async candidates(
    question: string,
    pipeline: Pipeline,
    depth: number,
  ): Promise<Result<'search'>['candidates']> {
    const asked = { corpus: CORPUS, query: { text: question }, perspectives: [], pipeline, depth };
    return (await this.panel.engine.request('search', asked)).candidates;
  }

  /** All passages of the corpus, from another index, because vectors in the panel's would allow more changes. */
  async passages(): ReturnType<MissingBench['candidates']> {
    const config = this.folder.configure(CORPORA, {});
    const other = new MissingBench(this.folder, await Panel.open(this.folder, config, 'listed'));
    const passages = await other.candidates('the', HASHED, Number.MAX_SAFE_INTEGER);
    await other.panel[Symbol.asyncDispose]();
    return passages;
  }

  /** Explains without trying changes. */
  plain(question: string, pipeline: Pipeline, document: string): Promise<Result<'explain'>> {
    const asked = { corpus: CORPUS, query: { text: question }, perspectives: [], pipeline };
    return this.panel.engine.request('explain', { ...asked, document, tryChanges: false });
  }

  /** Asks the panel. */
  async outcome(planted: Planted): Promise<Outcome> {
    const { explanation, failure = '' } = await this.panel.ask(planted);
    if (!explanation) return { ...planted, answer: { failure }, hasChange: false, holds: true };
    const { change, passage, tried } = explanation;
    const ranking = change ? await this.ranking(planted.question, change.pipeline) : [];
    const isSmallest = tried.slice(0, -1).every(({ rank, pipeline: { k } }) => !rank || rank > k);
    const isIn = !change || ranking.slice(0, change.pipeline.k).includes(passage!.documentId);
    const answer = shown(explanation);
    const hasChange = change !== undefined;
    return { ...planted, answer, hasChange, holds: isIn && (!hasChange || isSmallest) };
  }

  /** Asks all three. The command line and the tool bring their index up to date by themselves. */
  async agreements(asked: readonly Missing[]): Promise<Agreement[]> {
    const named = asked.map((each, place) => ({ ...each, name: `p${place}` }));
    const pipelines = Object.fromEntries(named.map(({ name, pipeline }) => [name, pipeline]));
    this.folder.configure(CORPORA, pipelines);
    await this.panel.index();
    const commandLine = new CommandLine(this.folder);
    await using tool = await AgentsTool.open(this.folder);
    const found: Agreement[] = [];
    for (const each of named)
      found.push([await this.panel.answer(each), await commandLine.answer(each), await tool.answer(each)]);
    return found;
  }

  async close(): Promise<void> {
    await this.panel[Symbol.asyncDispose]();
    rmSync(this.folder.place, { recursive: true, force: true });
  }
}
