import type { CapturedPassage, CapturedRun } from '../../../src/features/capture/contract/captured.ts';

const TRAMS = 'Should the trams run at night?';
export const LANGCHAIN = 'openinference.instrumentation.langchain';

type Verdicts = Readonly<Record<string, 'yes' | 'no' | 'unsure'>>;

/** @param said the judgements of each passage, by perspective */
export function runOf(given: Partial<CapturedRun> = {}, said: readonly Verdicts[] = []): CapturedRun {
  const passages = said.map((verdicts, index): CapturedPassage => ({
    slot: index,
    id: `p${index}`,
    documentId: `docs/${index}.md`,
    title: `Document ${index}`,
    excerpt: 'Night trams bring workers home.',
    lines: { first: 3, last: 9 },
    recognised: true,
    judged: Object.entries(verdicts).map(([perspectiveId, verdict]) => ({
      perspectiveId,
      verdict,
      source: 'human' as const,
      judge: 'ada',
    })),
  }));
  return {
    id: 't1:s1',
    at: 0,
    query: TRAMS,
    name: 'VectorStoreRetriever',
    service: 'app',
    scope: LANGCHAIN,
    step: 'retriever',
    k: passages.length,
    matches: { id: passages.length, text: 0, fuzzy: 0, foreign: 0 },
    asked: { id: 'q1', text: TRAMS },
    perspectives: [
      { id: 'yes', text: 'Night trams bring workers home.' },
      { id: 'no', text: 'Night trams wake people.' },
    ],
    passages,
    ...given,
  };
}
