/** The document that the user misses among the passages, and why it is not there. */
import * as l10n from '@vscode/l10n';
import type { Pipeline } from '../../core/pipeline.ts';
import type { InspectorState } from '../../shared/panels/inspector.ts';
import type { PanelContext } from './panel-context.ts';
import type { Question } from './question.ts';

export class MissingDocument {
  readonly #context: PanelContext;
  readonly #question: Question;
  #shown: InspectorState['missing'];

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
  }

  /** Asks the engine about the question and the pipeline in view. */
  async explain(document: string): Promise<void> {
    const { tasks, engine, choices, publish } = this.#context;
    const { reference: query, perspectives } = this.#question;
    this.#shown = { document };
    publish();
    const { corpus, pipeline } = choices;
    const explanation = await tasks.run('explain', l10n.t('Looking for the document'), (context) =>
      engine.request(
        'explain',
        { corpus, query, perspectives: [...perspectives], pipeline, document, tryChanges: true },
        context,
      ),
    );
    // A newer request may have taken the place of this one.
    if (this.#shown?.document === document) this.#shown = explanation && { document, explanation };
    publish();
  }

  /** It stays while the question is answered again: another pipeline may return it. */
  get document(): string | undefined {
    return this.#shown?.document;
  }

  get change(): Pipeline | undefined {
    return this.#shown?.explanation?.change?.pipeline;
  }

  forget(): void {
    this.#shown = undefined;
  }

  get view(): Pick<InspectorState, 'missing'> {
    return this.#shown ? { missing: this.#shown } : {};
  }
}
