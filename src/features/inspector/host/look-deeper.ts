/** Looks for perspectives that the candidates miss, with every available retriever. */
import * as l10n from '@vscode/l10n';
import type { InspectorState } from '../contract/panel.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import { needsNoQuestion } from '../../../extension/judging/judge-choice.ts';
import type { TaskContext } from '../../../extension/tasks/task-list.ts';
import type { Answer } from './answer.ts';
import { judgingOutcome } from './judging.ts';
import { mayContact, type PanelContext } from './panel-context.ts';

type DeeperParams = Params<'lookDeeper'>;
type DeeperResult = Result<'lookDeeper'>;

export class LookDeeper {
  readonly #context: PanelContext;

  constructor(context: PanelContext) {
    this.#context = context;
  }

  /**
   * Searches, and asks the judge about the results until a passage supports the perspective. If people are the judge,
   * or the user declines the cost, the results are shown for labelling.
   *
   * @param onLearned called whenever more is known
   * @returns the failure to show for pairs that got no verdict
   */
  async look(
    answer: Answer,
    perspectiveId: string,
    onLearned: () => void,
  ): Promise<InspectorState['error'] | undefined> {
    const { tasks, choices } = this.#context;
    const request = this.#asked(answer, perspectiveId);
    if (!request) return undefined;
    const { judge } = choices;
    const result = await tasks.run('deeper', l10n.t('Looking deeper'), async (context) => {
      const searched = await this.#request(request, answer, context, onLearned);
      if (!judge.canJudge || isFound(searched) || !mayContact(this.#context, judge)) return searched;
      const passages = Math.min(this.#context.settings().lookDeeperPassages, searched.open.length);
      if (passages === 0 || !(await this.#mayCall(request, searched.open.slice(0, passages), context)))
        return searched;
      return this.#request({ ...request, passages }, answer, context, onLearned);
    });
    return result?.report && judgingOutcome(result.report, this.#context.actions);
  }

  #asked(answer: Answer, perspectiveId: string): DeeperParams | undefined {
    const perspective = answer.perspectives.find(({ id }) => id === perspectiveId);
    if (!perspective) return undefined;
    const { choices, settings } = this.#context;
    const { requestBudget } = settings();
    const retrievers = [answer.pipeline, ...choices.pipelines.map(({ pipeline }) => pipeline)];
    return {
      corpus: answer.corpus,
      query: answer.query,
      perspective,
      retrievers: retrievers.slice(0, 100).map(({ retriever }) => retriever),
      judge: choices.judge.name,
      passages: 0,
      ...(requestBudget > 0 ? { requests: requestBudget } : {}),
    };
  }

  async #request(
    request: DeeperParams,
    answer: Answer,
    { signal, onNote }: TaskContext,
    onLearned: () => void,
  ): Promise<DeeperResult> {
    const { engine } = this.#context;
    const result = await engine.request('lookDeeper', request, {
      signal,
      onNote: (note) => {
        onNote(note);
        if (note.type !== 'judgement') return;
        answer.learn([note.pair]);
        onLearned();
      },
    });
    answer.learnDeeper(request.perspective.id, result.known);
    onLearned();
    return result;
  }

  async #mayCall(
    { corpus, judge, query, perspective }: DeeperParams,
    slots: number[],
    { signal }: TaskContext,
  ): Promise<boolean> {
    const { engine, settings, actions, choices } = this.#context;
    if (!choices.judge.needsConfirmation) return true;
    const { prices, confirmCallsAbove } = settings();
    const params = { corpus, judge, query, perspectives: [perspective], slots, prices };
    const { calls, effort } = await engine.request('judgeCost', params, { signal });
    if (needsNoQuestion(choices.judge, effort, confirmCallsAbove)) return true;
    return actions.confirmCalls(calls, effort, choices.judge.label);
  }
}

function isFound({ known }: DeeperResult): boolean {
  return known.supporters.length > 0;
}
