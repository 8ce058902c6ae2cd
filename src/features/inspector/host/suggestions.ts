/** Perspectives that a model proposes for the question in view, until the user accepts or dismisses them. */
import * as l10n from '@vscode/l10n';
import { SUGGEST_PASSAGES } from '../../../core/judging/suggest.ts';
import type { InspectorState } from '../contract/panel.ts';
import type { Answer } from './answer.ts';
import { mayContact, type PanelContext } from './panel-context.ts';
import type { Question } from './question.ts';

export class Suggestions {
  readonly #context: PanelContext;
  readonly #question: Question;
  #proposed: InspectorState['proposed'];

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
  }

  /** Proposals that the user has not decided on. */
  get view(): Pick<InspectorState, 'proposed'> {
    return this.#proposed ? { proposed: this.#proposed } : {};
  }

  forget(): void {
    this.#proposed = undefined;
  }

  /**
   * Asks the model. It sees the first candidates of the answer if there is one and the settings say so.
   *
   * @param answer to the question
   * @returns whether the model answered
   */
  async propose(answer: Answer | undefined): Promise<boolean> {
    const { tasks, engine, choices, settings } = this.#context;
    const { generator } = choices;
    const { text } = this.#question;
    if (text === '' || !generator || !mayContact(this.#context, generator)) return false;
    const { suggestFrom, suggestCount } = settings();
    const slots = (answer?.candidates ?? []).slice(0, SUGGEST_PASSAGES).map(({ slot }) => slot);
    const isFromPassages = suggestFrom === 'passages' && answer !== undefined && slots.length > 0;
    const params = {
      judge: generator.name,
      query: text,
      count: suggestCount,
      ...(isFromPassages ? { passages: { corpus: answer.corpus, slots } } : {}),
    };
    const suggestions = await tasks.run('generate', l10n.t('Asking for perspectives'), ({ signal }) =>
      engine.request('generatePerspectives', params, { signal }),
    );
    if (!suggestions) return false;
    if (this.#question.text !== text) return true;
    const known = new Set(this.#question.perspectives.map((perspective) => perspective.text));
    const items = suggestions.perspectives.filter((each) => !known.has(each.text));
    this.#proposed = {
      by: generator.label,
      from: isFromPassages ? 'passages' : 'question',
      items: items.map(({ text: statement, passages }) => ({
        text: statement,
        passages: passages.map(({ passageId, name }) => ({ passageId, title: name })),
      })),
    };
    return true;
  }
}
