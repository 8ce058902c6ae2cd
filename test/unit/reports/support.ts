/** Reports by hand. */
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';

/** One missed and one passed threshold and one failed query, with the given texts. */
export function reportWith(texts: {
  readonly dataset: string;
  readonly pipeline: string;
  readonly query: string;
  readonly question: string;
  readonly perspective: string;
  readonly file: string;
  readonly judge: string;
}): GateReport {
  const { dataset, pipeline, query, question, perspective, file, judge } = texts;
  const check = { dataset, pipeline, metric: 'MRecall@5', queries: 2, value: 0.5, bound: 'exact' as const };
  return {
    version: 1,
    outcome: 'missed',
    at: '2026-01-02T03:04:05.000Z',
    commit: '0123456789abcdef',
    k: 5,
    judge,
    checks: [
      {
        kind: 'threshold',
        ...check,
        outcome: 'missed',
        min: 0.75,
        failing: [query],
        reason: `MRecall@5 over 2 questions is 50.0, which is below 75.0.`,
      },
      {
        kind: 'threshold',
        ...check,
        outcome: 'passed',
        min: 0.5,
        failing: [],
        tag: 'hard',
        reason: 'MRecall@5 over 2 questions with the tag "hard" is 50.0, which reaches 50.0.',
      },
    ],
    datasets: [
      {
        name: dataset,
        evalSet: file,
        file,
        corpus: { name: 'docs', fingerprint: 'f', passages: 100 },
        queries: 2,
        judgements: {
          judge,
          pairs: 20,
          judged: 18,
          by: [
            { source: 'human', judge: 'people', count: 10, heuristic: false },
            { source: 'llm', judge, count: 8, heuristic: true },
          ],
        },
        pipelines: [
          {
            name: pipeline,
            pipeline: parsePipeline({ retriever: { type: 'bm25' } }),
            models: {},
            metrics: { 'MRecall@5': 0.5, 'Judged@5': 0.9 },
            queries: [
              {
                id: query,
                text: question,
                digest: 'd',
                line: 7,
                ranked: ['a', 'b'],
                missed: [0],
                demands: 1,
                milliseconds: 1.5,
                unjudged: 1,
                metrics: { 'MRecall@5': 0, 'Judged@5': 0.8 },
                lost: [
                  {
                    perspective: 'con',
                    text: perspective,
                    where: 'below-k',
                    reason: 'First supported at rank 8, below 5.',
                    newly: true,
                  },
                ],
              },
              {
                id: 'fine',
                text: 'Fine?',
                digest: 'd',
                line: 8,
                ranked: [],
                missed: [],
                demands: 1,
                unjudged: 0,
                lost: [],
                metrics: { 'MRecall@5': 1, 'Judged@5': 1 },
              },
            ],
          },
        ],
      },
    ],
    notes: ['8 of 18 judgements are guesses.'],
  };
}

/** Contains the special characters of every output language. */
export const HOSTILE = reportWith({
  dataset: 'questions',
  pipeline: 'bm25 & <MMR>',
  query: 'a:b,c',
  question: 'Is "50%" of {it} <b>true</b> & \\done_?\nReally | ``',
  perspective: 'It costs $5 ~ 10^2 #1',
  file: 'eval/my questions.jsonl',
  judge: 'gpt [x](y)',
});
