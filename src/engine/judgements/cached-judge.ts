/** A judge that remembers: nothing that was answered once is paid for again. */
import { setImmediate } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { Judgement } from '../../core/model.ts';
import { textHash } from '../store/store.ts';
import {
  countAnswer,
  emptyTally,
  type Delivery,
  type Judge,
  type JudgeOptions,
  type JudgePair,
  type JudgeReport,
} from '../judges/judge.ts';
import { askInTurns, type Claimable, type Taking } from './claimed-asking.ts';
import type { AnswerKey, CachedAnswer, JudgementCache } from './judgement-cache.ts';

export interface CachedJudge extends Judge {
  /** What is remembered about each pair, without asking anybody; in the order of the pairs. */
  known(pairs: readonly JudgePair[]): Promise<readonly (CachedAnswer | undefined)[]>;
}

/** Lookups take about 5 µs; this many are made before other work gets its turn. */
const LOOKUPS_AT_A_TIME = 512;

/** Every answer of `judge` is stored before it is delivered. */
export function createCachedJudge(judge: Judge, cache: JudgementCache): CachedJudge {
  const { name, label, source, heuristic, key, usesQuestion, standard, reading } = judge;
  return {
    name,
    label,
    source,
    heuristic,
    key,
    usesQuestion,
    standard,
    reading,
    known: async (pairs) => {
      await reading?.refresh();
      const answers: (CachedAnswer | undefined)[] = [];
      for await (const { answer } of lookUp(judge, cache, pairs))
        answers.push(answer && reading ? { ...answer, judgement: reading.read(answer.judgement) } : answer);
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
  await judge.reading?.refresh();
  const tally = emptyTally();
  const deliver = (index: number, judgement: Judgement, delivery: Delivery): void => {
    countAnswer(tally, judgement, delivery);
    options.onJudgement?.(index, judgement, delivery);
    options.onProgress?.({ done: tally.answered, total: pairs.length });
  };
  const isGoodEnough = (answer: CachedAnswer | undefined): answer is CachedAnswer =>
    answer !== undefined && !(answer.unparsable && options.repeatUnparsable);
  const deliverKnown = (index: number, answer: CachedAnswer | undefined): boolean => {
    if (!isGoodEnough(answer)) return false;
    deliver(index, asOf(judge, answer), { unparsable: answer.unparsable, cached: true });
    return true;
  };

  const unknown: Remembered[] = [];
  for await (const remembered of lookUp(judge, cache, pairs, options.signal))
    if (!deliverKnown(remembered.index, remembered.answer)) unknown.push(remembered);

  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const askOnce = (asked: readonly Remembered[], taking: Taking<Remembered>): Promise<JudgeReport> =>
    judge.judge(
      asked.map(({ index }) => pairs[index]!),
      {
        signal,
        repeatUnparsable: options.repeatUnparsable,
        // Another call or window may have answered it while it waited for its turn, or be about to.
        isAnswered: (i) => {
          const { index, key } = asked[i]!;
          const known = (): boolean => deliverKnown(index, cache.get(judge.key, key));
          if (options.isAnswered?.(index) || known()) return true;
          if (!taking.take(asked[i]!)) return true;
          // Stored between the look and the claim.
          if (!known()) return false;
          taking.release(key);
          return true;
        },
        onJudgement: (i, judgement, { unparsable }) => {
          const { index, key } = asked[i]!;
          const answer = store(cache, judge.key, key, { judgement, unparsable });
          taking.release(key);
          if (answer instanceof ParallaxError) {
            tally.error ??= answer;
            stop.abort();
          }
          const standing = answer instanceof ParallaxError ? { judgement, unparsable } : answer;
          deliver(index, asOf(judge, standing), { unparsable: standing.unparsable, cached: false });
        },
      },
    );
  const report = await askInTurns(judge, cache.claims, unknown, {
    ask: askOnce,
    isAnswered: ({ key }) => isGoodEnough(cache.get(judge.key, key)),
    onWait: () =>
      options.onProgress?.({
        done: tally.answered,
        total: pairs.length,
        detail: l10n.t('Waiting for another window that is asking the same'),
      }),
    signal,
  });
  return {
    ...report,
    answered: tally.answered,
    cached: tally.cached,
    unparsable: tally.unparsable,
    escalated: tally.escalated,
    rounds: tally.rounds,
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
interface Remembered extends Claimable {
  readonly index: number;
  readonly answer: CachedAnswer | undefined;
}

/** Ends early when cancelled. */
async function* lookUp(
  judge: Judge,
  cache: JudgementCache,
  pairs: readonly JudgePair[],
  signal?: AbortSignal,
): AsyncGenerator<Remembered> {
  const hashOf = hashedOnce();
  for (let first = 0; first < pairs.length && !signal?.aborted; first += LOOKUPS_AT_A_TIME) {
    const keys = pairs.slice(first, first + LOOKUPS_AT_A_TIME).map((pair) => answerKey(judge, pair, hashOf));
    const answers = cache.getMany(judge.key, keys);
    for (const [i, key] of keys.entries()) yield { index: first + i, key, answer: answers[i] };
    await setImmediate();
  }
}

/** A judge may have been renamed since; what it said stays the same. */
function asOf(judge: Judge, { judgement }: CachedAnswer): Judgement {
  return { ...asRead(judge, judgement), judge: judge.name };
}

/** What a stored answer of the judge says now; see {@link Judge.reading}. */
export function asRead({ reading }: Pick<Judge, 'reading'>, stored: Judgement): Judgement {
  return reading?.read(stored) ?? stored;
}

/** What an answer of this judge about a pair is remembered by. */
export function answerKey(
  judge: Pick<Judge, 'usesQuestion'>,
  { passage, perspective, question }: JudgePair,
  hashOf: (text: string) => string = textHash,
): AnswerKey {
  const asked =
    judge.usesQuestion && question !== undefined
      ? JSON.stringify([question, perspective.text])
      : perspective.text;
  return { passageHash: passage.hash ?? hashOf(passage.text), perspectiveHash: hashOf(asked) };
}

/** Hashes each text once, however often it is asked for. */
function hashedOnce(): (text: string) => string {
  const hashes = new Map<string, string>();
  return (text) => {
    const hash = hashes.get(text) ?? textHash(text);
    hashes.set(text, hash);
    return hash;
  };
}
