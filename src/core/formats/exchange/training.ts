/**
 * Exports for training: labelled pairs for a judge of one's own (BERDS, appendix A.5), and triples for a retriever that
 * minds perspectives (PIR, future work).
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../../errors.ts';
import type { Perspective, Query } from '../../model.ts';
import { issueClause } from '../../schema-issue.ts';
import { linesOf, LinesReading, parseJson } from '../lines.ts';
import {
  Doubts,
  evidenceKey,
  exchangeOf,
  quote,
  type Exchange,
  type ExchangePassage,
  type ParsedExchange,
} from './exchange.ts';

const judgedLine = z.object({
  query: z.string(),
  perspective: z.string(),
  passage: z.string(),
  relevance: z.number().int().min(0),
  verdict: z.literal('unsure').optional(),
  evidence: z.array(z.string()).optional(),
});

/** Reads the lines that `--write-qrels` writes beside qrels. Those without a decision are left out. */
export function parseJudged(text: string, name: string): ParsedExchange {
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  const evidence = new Map<string, readonly string[]>();
  const reading = new LinesReading(
    l10n.t`Not a file of judged lines (${name}, one JSON object per line)`,
    (line) => {
      const json = parseJson(line.text);
      if ('problem' in json) return json.problem;
      const parsed = judgedLine.safeParse(json.value);
      if (!parsed.success) return issueClause(parsed.error, json.value);
      const { query, perspective, passage, relevance, verdict, evidence: words } = parsed.data;
      if (verdict === 'unsure') return undefined;
      const topic = qrels.get(query) ?? new Map<string, Map<string, number>>();
      const judged = topic.get(perspective) ?? new Map<string, number>();
      qrels.set(query, topic.set(perspective, judged.set(passage, relevance)));
      if (words && words.length > 0) evidence.set(evidenceKey(query, perspective, passage), words);
      return undefined;
    },
  );
  for (const line of linesOf(text)) reading.take(line);
  const warnings = reading.end().map((warning) => `${name}: ${warning}`);
  return { exchange: exchangeOf({ qrels, evidence }), warnings };
}

interface Written {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * A line for each judged passage of a perspective, as `parallax judge validate --labels` reads it, with the words that
 * support.
 *
 * @throws ParallaxError `bad-argument` if there is none
 */
export function formatPairs(exchange: Exchange): Written {
  const doubts = new Doubts();
  const lines = perspectivesOf(exchange, doubts).flatMap(({ query, perspective, judged }) =>
    judged.map(({ passage, relevance }) => {
      const words = exchange.evidence.get(evidenceKey(query.id, perspective.id, passage.id));
      return {
        question: query.text,
        document: passage.text,
        ...(passage.title ? { title: passage.title } : {}),
        ...(perspective.anyOf ? { answers: perspective.anyOf } : { perspective: perspective.text }),
        label: relevance > 0 ? 1 : 0,
        ...(perspective.stance ? { stance: perspective.stance } : {}),
        ...(words ? { evidence: words } : {}),
      };
    }),
  );
  return written(lines, doubts);
}

/**
 * A line for each perspective, each passage that supports it, and each passage that supports another perspective of
 * the same question and not this one.
 *
 * @throws ParallaxError `bad-argument` if there is none
 */
export function formatTriples(exchange: Exchange): Written {
  const doubts = new Doubts();
  const all = perspectivesOf(exchange, doubts);
  const lines = [...Map.groupBy(all, ({ query }) => query)].flatMap(([query, own]) =>
    own.flatMap(({ perspective, judged }) => {
      const gold = goldOf(judged);
      const ids = new Set(gold.map(({ id }) => id));
      const others = new Map(
        own
          .filter((other) => other.perspective !== perspective)
          .flatMap((other) => goldOf(other.judged).map((passage) => [passage.id, passage] as const)),
      );
      const negatives = [...others.values()].filter(({ id }) => !ids.has(id));
      return gold.flatMap((positive) =>
        negatives.map((negative) => ({
          root: query.text,
          perspective: perspective.text,
          positive: positive.text,
          negative: negative.text,
        })),
      );
    }),
  );
  return written(lines, doubts);
}

interface JudgedPassage {
  readonly passage: ExchangePassage;
  readonly relevance: number;
}

const goldOf = (judged: readonly JudgedPassage[]): ExchangePassage[] =>
  judged.filter(({ relevance }) => relevance > 0).map(({ passage }) => passage);

function perspectivesOf(
  { passages, queries, qrels }: Exchange,
  doubts: Doubts,
): { readonly query: Query; readonly perspective: Perspective; readonly judged: readonly JudgedPassage[] }[] {
  const known = new Map(passages.map((passage) => [passage.id, passage]));
  return queries.flatMap((query) =>
    query.perspectives.map((perspective) => ({
      query,
      perspective,
      judged: [...(qrels.get(query.id)?.get(perspective.id) ?? [])].flatMap(([id, relevance]) => {
        const passage = known.get(id);
        if (!passage) doubts.add('Judged passages without a text are left out', quote(id));
        // Below zero means pooled and not judged (TREC).
        return passage && relevance >= 0 ? [{ passage, relevance }] : [];
      }),
    })),
  );
}

function written(lines: readonly object[], doubts: Doubts): Written {
  if (lines.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t(
        'There is nothing to train on: it needs texts of passages, queries with perspectives, and judgements of their passages.',
      ),
    );
  return { text: lines.map((line) => `${JSON.stringify(line)}\n`).join(''), warnings: doubts.warnings };
}
