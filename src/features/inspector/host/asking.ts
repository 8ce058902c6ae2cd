/** Asks the question in view and shows its answer. */
import * as l10n from '@vscode/l10n';
import { Answer } from './answer.ts';
import type { AnswerInView } from './answer-in-view.ts';
import type { PanelContext } from './panel-context.ts';
import type { PanelCorpus } from './panel-corpus.ts';
import type { Question } from './question.ts';
import type { Suggestions } from './suggestions.ts';

/** The parts of the panel that change with the question. */
interface AskingParts {
  readonly corpus: PanelCorpus;
  readonly question: Question;
  readonly inView: AnswerInView;
  readonly suggestions: Suggestions;
  /** Called after the question was answered again without the user asking. */
  readonly afterAnswer: () => Promise<void>;
}

export class Asking {
  readonly #context: PanelContext;
  readonly #parts: AskingParts;

  constructor(context: PanelContext, parts: AskingParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Whether the question is answered or being answered. */
  get isAsked(): boolean {
    return this.#parts.inView.answer !== undefined || this.#context.tasks.isRunning('search');
  }

  /**
   * Makes `text` the question of the panel and adds it to the history. Drops the answer to another question and its
   * failure.
   */
  ask(text: string): void {
    const { question, inView, suggestions } = this.#parts;
    if (text !== question.text) {
      inView.show(undefined);
      this.#context.failure.forget();
      suggestions.forget();
    }
    question.ask(text);
    this.#context.choices.rememberQuery(text);
  }

  /** Retrieves for the question. @returns whether there is an answer */
  async answer(): Promise<boolean> {
    const { tasks, engine, choices, failure, publish } = this.#context;
    const { corpus, question, inView } = this.#parts;
    const answer = await tasks.run('search', l10n.t('Searching'), async (context) => {
      const params = {
        corpus: corpus.name,
        query: question.reference,
        perspectives: [...question.perspectives],
        pipeline: choices.pipeline,
        judge: choices.judge.name,
        atOnce: true,
      };
      return new Answer(await engine.request('search', params, context), params);
    });
    if (!answer) return false;
    failure.forget();
    inView.show(answer);
    corpus.learnNotices(answer.notices);
    publish();
    if (answer.isPartial) void this.#answerOnceEmbedded(answer);
    return true;
  }

  /** Once all passages are embedded, answers again by meaning if the answer is still in view. */
  async #answerOnceEmbedded(answer: Answer): Promise<void> {
    const { tasks, engine } = this.#context;
    const { corpus, inView } = this.#parts;
    const { name } = corpus;
    const done = await tasks.run('embed', l10n.t('Reading for search by meaning'), ({ signal, onNote }) =>
      engine.request('embedded', { corpus: name }, { signal, onNote }),
    );
    const isAtRest = tasks.views.length === 0;
    if (done?.complete && isAtRest && inView.answer === answer && (await this.answer()))
      await this.#parts.afterAnswer();
  }

  /** Answers again from the current index, without asking for judgements. */
  async answerAgain(): Promise<void> {
    if (this.isAsked) await this.answer();
  }
}
