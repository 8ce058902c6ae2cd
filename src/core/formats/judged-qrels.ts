/**
 * Judgements as qrels, with a second file for who gave them: qrels have no column for that, and ndeval allows no
 * comments.
 */
import * as z from 'zod';
import type { Judgement, Qrels } from '../model.ts';
import type { Read } from '../read.ts';
import { columnId, formatQrels } from './exchange/trec.ts';

/** One line of the second file. */
export interface JudgedLine {
  readonly query: string;
  /** `0` in plain qrels. */
  readonly perspective: string;
  readonly passage: string;
  /** Above 0 for support. */
  readonly relevance: number;
  /** Name of the judge or the person, `qrels` for given judgements. */
  readonly judge: string;
  /** `human`, `llm` and so on, `imported` for given judgements. */
  readonly source: string;
  /** Set if the relevance does not express the verdict. */
  readonly verdict?: 'unsure';
  /** The words of the passage that support. `undefined` if there are none. */
  readonly evidence?: readonly string[];
  readonly model?: string;
  readonly promptVersion?: string;
  readonly standard?: string;
  readonly at?: string;
}

/** Both files, with the same judgements in the same lines. */
export const judgedQrelsSchema = z.object({
  /** Diversity qrels, or plain ones if no perspectives are distinguished. */
  qrels: z.string(),
  /** One JSON object per line, a {@link JudgedLine} with unencoded ids. */
  judges: z.string(),
  /** The number of ids with blanks, which are percent-encoded in the qrels. */
  rewritten: z.number().int(),
});

/** @throws ParallaxError `bad-argument` for an empty id */
export function formatJudgedQrels(lines: readonly JudgedLine[]): Read<typeof judgedQrelsSchema> {
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  for (const { query, perspective, passage, relevance } of lines) {
    const topic = qrels.get(query) ?? new Map<string, Map<string, number>>();
    const judged = topic.get(perspective) ?? new Map<string, number>();
    qrels.set(query, topic.set(perspective, judged.set(passage, relevance)));
  }
  const ordered = new Map(
    lines.map((line) => [JSON.stringify([line.query, line.perspective, line.passage]), line]),
  );
  const inOrder = [...pairsOf(qrels)].map((pair) => ordered.get(JSON.stringify(pair))!);
  const ids = new Set(lines.flatMap(({ query, perspective, passage }) => [query, perspective, passage]));
  return {
    qrels: formatQrels(qrels),
    judges: inOrder.map((line) => `${JSON.stringify(line)}\n`).join(''),
    rewritten: [...ids].filter((id) => columnId(id) !== id).length,
  };
}

/** In the order in which qrels are written. */
function* pairsOf(qrels: Qrels): Generator<readonly [query: string, perspective: string, passage: string]> {
  for (const [query, topic] of qrels)
    for (const [perspective, judged] of topic)
      for (const passage of judged.keys()) yield [query, perspective, passage];
}

type QrelsJudgement = Pick<Judgement, 'judge' | 'source' | 'verdict'> &
  Partial<Omit<Judgement, 'evidence'>> & {
    /** The words of the passage. */
    readonly words?: readonly string[] | undefined;
  };

/** People's labels on passages that no pipeline retrieved. */
export const LABELLED: QrelsJudgement = { judge: 'labels', source: 'human', verdict: 'yes' };

/** Other judgements were given. */
const GIVEN: QrelsJudgement = { judge: 'qrels', source: 'imported', verdict: 'yes' };

/** Records who gave each judgement. */
export class WhoJudged {
  readonly #judgements = new Map<string, QrelsJudgement>();

  /** The last judgement of a pair counts. */
  note(query: string, perspective: string, passage: string, judgement: QrelsJudgement): void {
    this.#judgements.set(keyOf(query, perspective, passage), judgement);
  }

  /** Each judgement of the qrels, in their order. */
  lines(qrels: Qrels): JudgedLine[] {
    return [...qrels].flatMap(([query, topic]) =>
      [...topic].flatMap(([perspective, judged]) =>
        [...judged].map(([passage, relevance]) => {
          const judgement = this.#judgements.get(keyOf(query, perspective, passage)) ?? GIVEN;
          return { query, perspective, passage, relevance, ...shown(judgement) };
        }),
      ),
    );
  }
}

const keyOf = (...ids: readonly [query: string, perspective: string, passage: string]): string =>
  JSON.stringify(ids);

function shown({
  judge,
  source,
  verdict,
  words = [],
  model,
  promptVersion,
  standard,
  at,
}: QrelsJudgement): Pick<JudgedLine, 'judge' | 'source'> & Partial<JudgedLine> {
  return {
    judge,
    source,
    ...(verdict === 'unsure' ? { verdict } : {}),
    ...(words.length > 0 ? { evidence: words } : {}),
    ...(model === undefined ? {} : { model }),
    ...(promptVersion === undefined ? {} : { promptVersion }),
    ...(standard === undefined || source === 'imported' ? {} : { standard }),
    ...(at === undefined || at === '' ? {} : { at }),
  };
}
