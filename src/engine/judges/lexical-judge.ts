/** The offline heuristic as a judge. */
import { setImmediate } from 'node:timers/promises';
import { judgeLexically, LEXICAL_VERSION, type Analyze } from '../../core/judging/lexical.ts';
import { STANDARDS } from '../../core/judging/standard.ts';
import { emptyTally, type Judge, type JudgePair, type JudgeOptions, type JudgeReport } from './judge.ts';

/** A pair takes some 0.1 ms. Other work gets its turn after this many. */
const PAIRS_AT_A_TIME = 32;

/**
 * @param analyze content words of English text, stemmed
 * @param now milliseconds since 1970
 */
export function createLexicalJudge(name: string, analyze: Analyze, now: () => number = Date.now): Judge {
  return {
    name,
    label: 'Lexical heuristic (offline)',
    source: 'lexical',
    expense: 'free',
    heuristic: true,
    key: JSON.stringify(['lexical', LEXICAL_VERSION]),
    judge: (pairs, options = {}) => judgeAll(name, analyze, now, pairs, options),
  };
}

async function judgeAll(
  name: string,
  analyze: Analyze,
  now: () => number,
  pairs: readonly JudgePair[],
  { signal, onProgress, onJudgement, isAnswered }: JudgeOptions,
): Promise<JudgeReport> {
  const tally = emptyTally();
  for (const [index, { passage, perspective }] of pairs.entries()) {
    if (index % PAIRS_AT_A_TIME === 0) await setImmediate();
    if (signal?.aborted) break;
    if (isAnswered?.(index)) continue;
    const { verdict, score, evidence, rationale } = judgeLexically(passage.text, perspective.text, analyze);
    tally.asked = ++tally.answered;
    onJudgement?.(
      index,
      {
        verdict,
        evidence: evidence ? [evidence] : [],
        source: 'lexical',
        judge: name,
        rationale,
        confidence: score,
        promptVersion: LEXICAL_VERSION,
        standard: STANDARDS.berds.id,
        at: new Date(now()).toISOString(),
      },
      { unparsable: false, cached: false },
    );
    onProgress?.({ done: tally.answered, total: pairs.length });
  }
  tally.cancelled = signal?.aborted ?? false;
  return tally;
}
