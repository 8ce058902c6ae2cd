/** Judgements of an answer's passages: asks the judge for missing ones and stores labels by the user. */
import * as l10n from '@vscode/l10n';
import type { Perspective, Verdict } from '../../../core/model.ts';
import type { InspectorState } from '../contract/panel.ts';
import { remediesFor } from '../../../shared/remedies.ts';
import type { JudgeReport } from '../../../shared/requests/judging.ts';
import type { Params } from '../../../shared/rpc.ts';
import { judgingProblem } from '../../../extension/platform/unjudged-text.ts';
import type { Answer } from './answer.ts';
import { needsNoQuestion, type JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import { mayContact, type PanelContext } from './panel-context.ts';

export class Judging {
  readonly #context: PanelContext;

  constructor(context: PanelContext) {
    this.#context = context;
  }

  /**
   * Asks the judge about the unjudged pairs of the top k.
   *
   * @param ask whether the user requested it: only then more calls than the settings allow are offered for confirmation
   * @param onLearned called after every verdict
   * @returns the failure to show for pairs that got no verdict
   */
  async judge(
    answer: Answer,
    ask: boolean,
    onLearned: () => void,
  ): Promise<InspectorState['error'] | undefined> {
    const { tasks, engine, choices } = this.#context;
    const { judge } = choices;
    if (!judge.canJudge || answer.openPairs.length === 0 || !mayContact(this.#context, judge))
      return undefined;
    const params = this.judgingTask(answer, answer.topSlots);
    const report = await tasks.run(
      'judge',
      l10n.t`Judging with ${judge.label}`,
      async ({ signal, onNote }) => {
        if (judge.needsConfirmation && !(await this.#mayCall(params, judge, ask, signal))) return undefined;
        answer.setPending(true);
        const { requestBudget } = this.#context.settings();
        const budget = requestBudget > 0 ? { requests: requestBudget } : undefined;
        return engine.request(
          'judge',
          { ...params, ...(budget ? { budget } : {}) },
          {
            signal,
            onNote: (note) => {
              onNote(note);
              if (note.type !== 'judgement') return;
              answer.learn([note.pair]);
              onLearned();
            },
          },
        );
      },
    );
    answer.setPending(false);
    return report && judgingOutcome(report, this.#context.actions);
  }

  /** Reads stored judgements again, without asking a judge, after labels have changed. */
  async readAgain(answer: Answer): Promise<void> {
    if (answer.perspectives.length === 0) return;
    const slots = answer.candidates.map(({ slot }) => slot);
    answer.learnAgain(await this.#context.engine.request('judgements', this.judgingTask(answer, slots)));
  }

  /** Stores the user's verdict on any passage with the workspace. */
  async label(answer: Answer, slot: number, perspective: Perspective, verdict: Verdict): Promise<void> {
    const { engine, userName } = this.#context;
    const { corpus, query } = answer;
    await engine.request('label', {
      corpus,
      slot,
      query,
      perspective,
      verdict,
      by: userName(),
      judge: this.#context.choices.judge.name,
    });
    await this.readAgain(answer);
  }

  /**
   * For each passage id, the positions of the perspectives that it supports. Passages without judgements have no entry.
   */
  async supportsOf(answer: Answer, slots: readonly number[]): Promise<Record<string, number[]>> {
    if (answer.perspectives.length === 0 || slots.length === 0) return {};
    const { engine } = this.#context;
    const { corpus } = answer;
    const { pairs } = await engine.request('judgements', this.judgingTask(answer, [...slots]));
    const { passages } = await engine.request('mappedPassages', { corpus, slots });
    const placeOf = new Map(answer.perspectives.map(({ id }, place) => [id, place]));
    return Object.fromEntries(
      passages.flatMap(({ slot, id }) => {
        const pairsOfPassage = pairs.filter((pair) => pair.slot === slot);
        const yes = pairsOfPassage.filter(({ judgement }) => judgement.verdict === 'yes');
        return pairsOfPassage.length === 0
          ? []
          : [
              [
                id,
                yes.flatMap(({ perspectiveId }) => placeOf.get(perspectiveId) ?? []).sort((a, b) => a - b),
              ],
            ];
      }),
    );
  }

  /** An answer as a request to the chosen judge. */
  judgingTask({ corpus, query, perspectives }: Answer, slots: number[]): Params<'judge'> {
    return { corpus, judge: this.#context.choices.judge.name, query, perspectives, slots };
  }

  /** Whether a judge that costs money may be asked. */
  async #mayCall(
    params: Params<'judge'>,
    judge: JudgeChoice,
    ask: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { engine, settings, actions } = this.#context;
    const { prices, confirmCallsAbove } = settings();
    const { calls, effort } = await engine.request('judgeCost', { ...params, prices }, { signal });
    if (calls === 0) return false;
    if (needsNoQuestion(judge, effort, confirmCallsAbove)) return true;
    // Judging after a search never makes more calls than the settings allow.
    return ask && actions.confirmCalls(calls, effort, judge.label);
  }
}

/** The notice for pairs that a judge left unanswered. `undefined` if it answered all. */
export function judgingOutcome(
  report: JudgeReport,
  { log }: Pick<PanelContext['actions'], 'log'>,
): InspectorState['error'] {
  const { asked, answered, unparsable, failed, errorId } = report;
  log(`Judged ${answered} of ${asked} pairs; ${unparsable} answers could not be read, ${failed} failed.`);
  const message = judgingProblem(report);
  if (message === undefined) return undefined;
  const remedies = errorId === undefined ? [] : remediesFor(errorId);
  return { message, remedies: remedies.length > 0 ? remedies : ['show-log'] };
}
