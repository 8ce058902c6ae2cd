/** Running programs whose calls are observed, as other features see them. */

import type { SeenPassage } from '../../features/live/contract/requests.ts';

export interface LiveQuestion {
  readonly id: string;
  readonly text: string;
}

/** The result of a running call for each question. */
export interface MeasuredCall {
  /** The file of the run, in JSON lines. */
  readonly file: string;
  /** Ids of the questions that were asked. */
  readonly questions: readonly string[];
  /** The most passages that the call returns by itself, at least 1. */
  readonly k: number;
  /** Whether the run has passages beyond k. */
  readonly hasPool: boolean;
}

/** The result of a running call for another k. */
export interface MorePassages {
  readonly k: number;
  /** Best first. */
  readonly passages: readonly SeenPassage[];
}

export interface LivePrograms {
  /** Whether programs started with Parallax are observed. */
  readonly observing: boolean;
  /** Whether the call retrieved in a running program, so that it can be asked again. @param site key of the call */
  canMeasure(site: string): boolean;
  /** Whether the call retrieved in a program that has ended, so that it is measured when that is started again. */
  hasEnded(site: string): boolean;
  /** Whether the call still runs and takes k, so that it can be asked for more passages. @param site key of the call */
  canAskForMore(site: string): boolean;
  /**
   * Asks a running call one question for more passages, after the user agreed.
   *
   * @returns `undefined` if the user does not agree
   * @throws ParallaxError `retriever-failed` if the program has ended or the call fails, `cancelled`
   */
  askForMore(site: string, question: string, signal: AbortSignal): Promise<MorePassages | undefined>;
  /**
   * Asks a running call every question, after the user agreed.
   *
   * @param callee name of the call as shown to the user
   * @returns `undefined` if the user does not agree
   * @throws ParallaxError `retriever-failed` if no question was answered, `cancelled`
   */
  measure(
    site: string,
    callee: string,
    questions: readonly LiveQuestion[],
  ): Promise<MeasuredCall | undefined>;
}
