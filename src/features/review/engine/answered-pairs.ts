/** Looks up the stored answers of judges about the perspectives of queries, on any passage. */
import { ParallaxError } from '../../../core/errors.ts';
import { textHash } from '../../../engine/text-sums.ts';
import type { Judgement, Perspective, Query } from '../../../core/model.ts';
import { answerKey, asRead } from '../../../engine/judgements/cached-judge.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { JudgementCache } from '../../../engine/judgements/judgement-cache.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../engine/types.ts';

/** An answer without its arguments, since there may be very many. */
export interface BriefAnswer extends Pick<
  Judgement,
  'verdict' | 'escalated' | 'evidenceNotFound' | 'standard' | 'at'
> {
  readonly judgeKey: string;
}

/** A perspective and a passage (by the hash of its text) with the answers of all judges. */
export interface AnsweredPair {
  readonly query: Query;
  readonly perspective: Perspective;
  readonly passageHash: string;
  readonly answers: readonly BriefAnswer[];
}

/** The judges whose answers can be read now. One with a broken calibration must not hide the others. */
export async function readable(judges: readonly Judge[]): Promise<Judge[]> {
  const ready: Judge[] = [];
  for (const judge of judges)
    try {
      await judge.reading?.refresh();
      ready.push(judge);
    } catch (error) {
      if (!ParallaxError.is(error)) throw error;
    }
  return ready;
}

/**
 * Every pair with an answer of at least one of the judges.
 *
 * @param judges see {@link readable}
 * @throws ParallaxError `cancelled`
 */
export async function answeredPairs(
  queries: readonly Query[],
  judges: readonly Judge[],
  cache: Pick<JudgementCache, 'ofPerspective'>,
  work: WorkOptions,
): Promise<AnsweredPair[]> {
  const pace = new Pace(work);
  const pairs: AnsweredPair[] = [];
  for (const query of queries)
    for (const perspective of query.perspectives) {
      const answers = new Map<string, BriefAnswer[]>();
      for (const judge of judges)
        for (const [passageHash, answer] of answersOf(judge, query.text, perspective, cache)) {
          const known = answers.get(passageHash);
          if (known) known.push(answer);
          else answers.set(passageHash, [answer]);
        }
      for (const [passageHash, answersOfPair] of answers)
        pairs.push({ query, perspective, passageHash, answers: answersOfPair });
      if (pace.due) await pace.rest();
    }
  return pairs;
}

function* answersOf(
  judge: Judge,
  question: string,
  perspective: Perspective,
  cache: Pick<JudgementCache, 'ofPerspective'>,
): Generator<[passageHash: string, answer: BriefAnswer]> {
  const { perspectiveHash } = answerKey(judge, { passage: { text: '', hash: '' }, perspective, question });
  for (const [passageHash, { judgement, unparsable }] of cache.ofPerspective(judge.key, perspectiveHash)) {
    if (unparsable) continue;
    yield [passageHash, briefly(judge.key, asRead(judge, judgement))];
  }
}

/** An answer without its arguments. */
export function briefly(
  judgeKey: string,
  { verdict, escalated, evidenceNotFound, standard, at }: Judgement,
): BriefAnswer {
  return { judgeKey, verdict, escalated, evidenceNotFound, standard, at };
}

/** The possible keys of a perspective in stored answers, with and without its question. */
export function perspectiveHashes(question: string, perspective: string): string[] {
  return [textHash(JSON.stringify([question, perspective])), textHash(perspective)];
}
