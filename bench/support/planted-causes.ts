/** Documents with a known reason for which a question does not find them. */
import { parsePipeline, type Pipeline, type PipelineInput } from '../../src/core/pipeline.ts';
import type { Cause } from '../../src/features/explain/core/explanation.ts';
import type { Missing } from './missing-surfaces.ts';

/** In words. */
export const PASSAGE = 60;
/** In words. */
export const QUESTION = 12;
/** In words. */
export const SHORTEST = 100;

/** A document, the question that misses it, and the cause that was planted. */
export interface Planted extends Missing {
  readonly what: string;
  readonly cause: Cause;
  /** What the sentence has to say. */
  readonly says?: RegExp;
}

export const beginning = (text: string, from: number, to: number): string =>
  text.split(/\s+/u).slice(from, to).join(' ');

/** The first passage again, without the longest word of the question, so that it ranks below. */
export function copyOf(text: string): string {
  const longest = beginning(text, 0, QUESTION)
    .split(' ')
    .reduce((a, b) => (b.length > a.length ? b : a));
  return beginning(text, 0, PASSAGE).replaceAll(longest, 'something');
}

export interface Sources {
  /** The retriever that is asked. */
  readonly retriever: PipelineInput['retriever'];
  /** Documents, best first. */
  readonly ranking: (question: string, pipeline: Pipeline) => Promise<readonly string[]>;
  /** Whether no other document is nearly the same: of a copy and its original the lower one has another cause. */
  readonly isSingle: (document: string) => boolean;
}

/** Causes before any search. */
export function plantUnread(place: number, question: string, pipeline: Pipeline): Planted[] {
  const unread: Readonly<Record<string, string>> = {
    'a kind without a reader': `docs/plan-${place}.xyz`,
    '.gitignore': `docs/private/note-${place}.md`,
    'outside of the roots': `web/page-${place}.md`,
    'an excluded folder': `docs/excluded/page-${place}.md`,
  };
  return Object.entries(unread).map(([what, document]) => ({
    ...{ what, document, question, pipeline },
    cause: 'not-read',
  }));
}

/** Causes of a search, without those that its rankings do not allow. */
export async function plantRanked(place: number, text: string, sources: Sources): Promise<Planted[]> {
  const { retriever, ranking, isSingle } = sources;
  const pipelineOf = (k: number, rest: Partial<PipelineInput> = {}): Pipeline =>
    parsePipeline({ retriever, k, ...rest });
  const question = beginning(text, 0, QUESTION);
  const passages = await ranking(question, pipelineOf(5));
  const lower = passages.find((each) => each !== passages[0] && isSingle(each));
  const rank = passages.indexOf(lower ?? '') + 1;
  const mmr = pipelineOf(5, { rerank: [{ type: 'mmr', lambda: 0.1, embedder: 'hashing' }] });
  const after = (await ranking(question, mmr)).slice(0, 5);
  const moved = passages.slice(0, 5).find((each) => !after.includes(each) && isSingle(each));
  const planted: (Planted | false)[] = [
    {
      ...{ what: 'cut apart', cause: 'cut-apart', pipeline: pipelineOf(5) },
      ...{ document: beginning(text, PASSAGE - 10, PASSAGE + 15), question: 'zyx' },
    },
    {
      ...{ what: 'an earlier copy', cause: 'duplicate-above', pipeline: pipelineOf(1) },
      ...{ document: `docs/copy-${place}.md`, question },
    },
    rank > 1 && {
      ...{ what: 'below k', cause: 'below-k', pipeline: pipelineOf(rank - 1) },
      ...{ document: lower!, question },
    },
    rank > 1 && {
      ...{ what: 'too few candidates', cause: 'outside-candidates' },
      ...{ document: lower!, question, pipeline: pipelineOf(rank - 1, { candidates: rank - 1 }) },
    },
    moved !== undefined && {
      ...{ what: 'a reranker', cause: 'moved-down', document: moved, question, pipeline: mmr },
    },
  ];
  return planted.filter((each) => each !== false);
}
