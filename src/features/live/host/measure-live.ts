/** Asks a running program every question of an eval set, and writes the results as a run. Independent of the editor. */
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import type { LiveAnswer, SeenPassage } from '../contract/requests.ts';

/** The number of passages fetched for a reranker to choose from, if the call takes k. */
export const POOL = 50;

export interface Question {
  readonly id: string;
  readonly text: string;
}

export interface CallAnswers {
  /** JSON lines: each question with its passages, first the call's own, then those of the larger k. */
  readonly run: string;
  /** Questions that were answered or failed; the others were not asked. */
  readonly questions: readonly string[];
  /** The most passages that the call returned by itself, at least 1. */
  readonly k: number;
  /** Whether passages beyond k were fetched. */
  readonly hasPool: boolean;
  readonly failed: readonly { readonly question: string; readonly error: string }[];
  /** Why the remaining questions were not asked. */
  readonly stopped: string | undefined;
}

export interface MeasureOptions {
  /** @param k `undefined` for the program's own */
  readonly ask: (question: string, k: number | undefined) => Promise<LiveAnswer>;
  readonly takesK: boolean;
  /** Whether the program can still be asked; if not, the remaining questions would fail too. */
  readonly isAlive: () => boolean;
  readonly report: (done: number) => void;
}

/**
 * One question after the other, because the program may not support concurrent ones.
 *
 * @throws ParallaxError `cancelled`
 */
export async function measureCall(
  questions: readonly Question[],
  { ask, takesK, isAlive, report }: MeasureOptions,
): Promise<CallAnswers> {
  const lines: string[] = [];
  const counts: number[] = [];
  const tried: string[] = [];
  const failed: { question: string; error: string }[] = [];
  let stopped: string | undefined;
  let hasPool = false;
  for (const { id, text } of questions) {
    try {
      const answer = await ask(text, undefined);
      const pool = takesK ? await poolOf(text, answer, ask) : [];
      hasPool ||= pool.length > 0;
      counts.push(answer.passages.length);
      lines.push(
        `${JSON.stringify({ id, query: text, results: [...answer.passages, ...pool].map(resultOf) })}\n`,
      );
    } catch (error) {
      if (ParallaxError.is(error, 'cancelled')) throw error;
      if (!isAlive()) {
        stopped = messageOf(error);
        break;
      }
      failed.push({ question: text, error: messageOf(error) });
    }
    tried.push(id);
    report(tried.length);
  }
  return { run: lines.join(''), questions: tried, k: Math.max(1, ...counts), hasPool, failed, stopped };
}

/** The same from the answers of a program that was started to be measured, by the id of the question. */
export function answersOf(
  questions: readonly Question[],
  answers: ReadonlyMap<string, LiveAnswer | { readonly error: string }>,
): CallAnswers {
  const lines: string[] = [];
  const counts: number[] = [];
  const failed: { question: string; error: string }[] = [];
  for (const { id, text } of questions) {
    const answer = answers.get(id);
    if (answer && 'error' in answer) failed.push({ question: text, error: answer.error });
    if (!answer || 'error' in answer) continue;
    counts.push(answer.passages.length);
    lines.push(`${JSON.stringify({ id, query: text, results: answer.passages.map(resultOf) })}\n`);
  }
  const tried = questions.filter(({ id }) => answers.has(id)).map(({ id }) => id);
  return {
    run: lines.join(''),
    questions: tried,
    k: Math.max(1, ...counts),
    hasPool: false,
    failed,
    stopped:
      tried.length < questions.length
        ? l10n.t('The program ended before it answered all questions.')
        : undefined,
  };
}

/** Passages of a larger k that the call did not return by itself. Empty if the program cannot return more. */
async function poolOf(
  text: string,
  { passages }: LiveAnswer,
  ask: MeasureOptions['ask'],
): Promise<SeenPassage[]> {
  try {
    const keys = new Set(passages.map(keyOf));
    const { passages: more } = await ask(text, Math.max(POOL, passages.length));
    return more.filter((passage) => !keys.has(keyOf(passage)));
  } catch (error) {
    if (ParallaxError.is(error, 'cancelled')) throw error;
    return [];
  }
}

function keyOf({ id, text }: SeenPassage): string {
  return JSON.stringify([id, text]);
}

/** Without scores, because scores of two requests may not be comparable; the order is the ranking. */
function resultOf({ id, text, metadata }: SeenPassage): Readonly<Record<string, unknown>> {
  return {
    ...(id === undefined ? {} : { id }),
    ...(text === undefined ? {} : { text }),
    ...(metadata ? { metadata } : {}),
  };
}
