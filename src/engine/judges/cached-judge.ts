/** A judge that remembers: nothing that was answered once is paid for again. */
import { setImmediate } from 'node:timers/promises';
import { ParallaxError } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import { textHash } from '../store/store.ts';
import {
  emptyTally,
  type Delivery,
  type Judge,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from './judge.ts';
import type { AnswerKey, CachedAnswer, JudgementCache } from './judgement-cache.ts';

export interface CachedJudge extends Judge {
  /** What is remembered about each pair, without asking anybody; in the order of the pairs. */
  known(pairs: readonly JudgePair[]): Promise<readonly (CachedAnswer | undefined)[]>;
}

/** Lookups take about 5 µs; this many are made before other work gets its turn. */
const LOOKUPS_AT_A_TIME = 512;

/** Every answer of `judge` is stored before it is delivered. */
export function createCachedJudge(judge: Judge, cache: JudgementCache): CachedJudge {
  const { name, label, source, heuristic, key } = judge;
  return {
    name,
    label,
    source,
    heuristic,
    key,
    known: async (pairs) => {
      const answers: (CachedAnswer | undefined)[] = [];
      for await (const { answer } of lookUp(judge, cache, pairs)) answers.push(answer);
      return answers;
    },
    judge: (pairs, options = {}) => judgeUnknown(judge, cache, pairs, options),
  };
}

async function judgeUnknown(
  judge: Judge,
  cache: JudgementCache,
  pairs: readonly JudgePair[],
  options: JudgeOptions,
): Promise<JudgeReport> {
  const tally = emptyTally();
  const deliver = (index: number, judgement: Judgement, delivery: Delivery): void => {
    tally.answered++;
    if (delivery.cached) tally.cached++;
    if (delivery.unparsable) tally.unparsable++;
    options.onJudgement?.(index, judgement, delivery);
    options.onProgress?.({ done: tally.answered, total: pairs.length });
  };
  const deliverKnown = (index: number, answer: CachedAnswer | undefined): boolean => {
    if (!answer || (answer.unparsable && options.repeatUnparsable)) return false;
    deliver(index, asOf(judge, answer), { unparsable: answer.unparsable, cached: true });
    return true;
  };

  const unknown: Remembered[] = [];
  for await (const remembered of lookUp(judge, cache, pairs, options.signal))
    if (!deliverKnown(remembered.index, remembered.answer)) unknown.push(remembered);

  const stop = new AbortController();
  const report = await judge.judge(
    unknown.map(({ index }) => pairs[index]!),
    {
      signal: options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal,
      // Another call or window may have answered it while it waited for its turn.
      isAnswered: (i) => deliverKnown(unknown[i]!.index, cache.get(judge.key, unknown[i]!.key)),
      onJudgement: (i, judgement, { unparsable }) => {
        const { index, key } = unknown[i]!;
        const answer = store(cache, judge.key, key, { judgement, unparsable });
        if (answer instanceof ParallaxError) {
          tally.error ??= answer;
          stop.abort();
        }
        const standing = answer instanceof ParallaxError ? { judgement, unparsable } : answer;
        deliver(index, asOf(judge, standing), { unparsable: standing.unparsable, cached: false });
      },
    },
  );
  return {
    ...report,
    answered: tally.answered,
    cached: tally.cached,
    unparsable: tally.unparsable,
    error: tally.error ?? report.error,
    cancelled: options.signal?.aborted ?? false,
  };
}

/** An answer that cannot be stored is still shown; the error is returned so that no more is paid for. */
function store(
  cache: JudgementCache,
  judgeKey: string,
  key: AnswerKey,
  answer: CachedAnswer,
): CachedAnswer | ParallaxError {
  try {
    return cache.put(judgeKey, key, answer);
  } catch (error) {
    if (ParallaxError.is(error)) return error;
    throw error;
  }
}

/** A pair by its place in the list, and what is remembered about it. */
interface Remembered {
  readonly index: number;
  readonly key: AnswerKey;
  readonly answer: CachedAnswer | undefined;
}

/** Ends early when cancelled. */
async function* lookUp(
  judge: Judge,
  cache: JudgementCache,
  pairs: readonly JudgePair[],
  signal?: AbortSignal,
): AsyncGenerator<Remembered> {
  const hashes = new Map<string, string>();
  for (let first = 0; first < pairs.length && !signal?.aborted; first += LOOKUPS_AT_A_TIME) {
    const keys = pairs.slice(first, first + LOOKUPS_AT_A_TIME).map((pair) => keyOf(pair, hashes));
    const answers = cache.getMany(judge.key, keys);
    for (const [i, key] of keys.entries()) yield { index: first + i, key, answer: answers[i] };
    await setImmediate();
  }
}

/** A judge may have been renamed since; what it said stays the same. */
function asOf(judge: Judge, { judgement }: CachedAnswer): Judgement {
  return { ...judgement, judge: judge.name };
}

/** Hashes each text once, however many pairs it is part of. */
function keyOf({ passage, perspective }: JudgePair, hashes: Map<string, string>): AnswerKey {
  const hashOf = (text: string): string => {
    const hash = hashes.get(text) ?? textHash(text);
    hashes.set(text, hash);
    return hash;
  };
  return { passageHash: passage.hash ?? hashOf(passage.text), perspectiveHash: hashOf(perspective.text) };
}
