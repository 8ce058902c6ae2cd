/**
 * Judges the pairs that a comparison's figures depend on: counts unjudged pairs, confirms the cost before it asks the
 * judge, and keeps the report.
 */
import * as l10n from '@vscode/l10n';
import type { JudgingScope, JudgingView } from '../../features/compare/contract/panel.ts';
import type { Effort } from '../../shared/requests/spending.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import { budgetOf, type CostSettings } from './cost-settings.ts';
import { needsNoQuestion, type JudgeChoice } from './judge-choice.ts';
import type { TaskList } from '../tasks/task-list.ts';

/** Like `ConfirmCalls`; `pairs` is an upper bound. */
export type ConfirmFigures = (
  pairs: number,
  scope: JudgingScope,
  effort: Effort,
  judge: string,
) => Promise<boolean>;

/** With a number, everything is asked once more, for the repeat of that number. */
type Repeatable = Params<'compare'> & Pick<Params<'judgeFigures'>, 'repeat'>;

export interface FigureJudgingOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly tasks: TaskList;
  readonly costSettings: () => CostSettings;
  readonly confirm: ConfirmFigures;
}

export class FigureJudging {
  readonly #options: FigureJudgingOptions;
  #counted: JudgingView['counted'];
  #report: JudgingView['report'];

  constructor(options: FigureJudgingOptions) {
    this.#options = options;
  }

  /** @param repeat the number of the next repeat */
  view(blocked: JudgingView['blocked'], repeat: number | undefined): JudgingView {
    return {
      ...(repeat === undefined ? {} : { repeat }),
      ...(this.#counted ? { counted: this.#counted } : {}),
      ...(blocked ? { blocked } : {}),
      ...(this.#report ? { report: this.#report } : {}),
    };
  }

  /** For another comparison or another judge. */
  forget(): void {
    this.#counted = undefined;
    this.#report = undefined;
  }

  /**
   * Counts the pairs that have a verdict. Call it for a comparison that was just run, so that nothing is left to
   * search or ask.
   */
  async count(request: Params<'compare'>): Promise<void> {
    this.#counted = undefined;
    const { pairs, known } = await this.#cost({ ...request, budget: { requests: 0 } }, 'figures');
    this.#counted = { pairs, known };
  }

  /**
   * @returns `judged` if there are new judgements, `broken-off` if there may be some, `nothing` if the user declined
   *   the cost or no pair got an answer. Failures of the engine end in the task list.
   */
  async judge(
    request: Repeatable,
    judge: JudgeChoice,
    scope: JudgingScope,
  ): Promise<'judged' | 'broken-off' | 'nothing'> {
    const { engine, tasks } = this.#options;
    this.#report = undefined;
    let begun = false;
    const report = await tasks.run(
      'judge',
      l10n.t`Judging with ${judge.label}`,
      async ({ signal, onNote }) => {
        const budget = budgetOf(this.#options.costSettings());
        const cost = await this.#cost({ ...request, ...budget }, scope, signal);
        if (request.repeat === undefined) this.#counted = { pairs: cost.pairs, known: cost.known };
        if (cost.pairs === cost.known || !(await this.#mayAsk(cost, judge, scope))) return undefined;
        begun = true;
        return engine.request('judgeFigures', { ...request, scope, ...budget }, { signal, onNote });
      },
    );
    if (!report) return begun ? 'broken-off' : 'nothing';
    const { asked, answered, failed, unreadable, unreadableReason } = report;
    const { saved, settled, queries, stopped, error } = report;
    this.#report = {
      asked,
      answered,
      failed,
      unreadable,
      saved,
      settled,
      queries,
      stopped,
      ...(unreadableReason === undefined ? {} : { unreadableReason }),
      ...(error === undefined ? {} : { error }),
    };
    return answered > 0 ? 'judged' : 'nothing';
  }

  #cost(request: Repeatable, scope: JudgingScope, signal?: AbortSignal): Promise<Result<'figuresCost'>> {
    const { prices } = this.#options.costSettings();
    return this.#options.engine.request('figuresCost', { ...request, scope, prices }, { signal });
  }

  async #mayAsk(
    { pairs, known, effort }: Result<'figuresCost'>,
    judge: JudgeChoice,
    scope: JudgingScope,
  ): Promise<boolean> {
    const { confirmCallsAbove } = this.#options.costSettings();
    if (needsNoQuestion(judge, effort, confirmCallsAbove)) return true;
    return this.#options.confirm(pairs - known, scope, effort, judge.label);
  }
}
