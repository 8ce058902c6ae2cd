/** Stances that a model proposes for the perspectives of the question, and the user's decisions on them. */
import * as l10n from '@vscode/l10n';
import type { Perspective, Stance, StanceSource } from '../../../core/model.ts';
import type { ProposedStance } from '../../../core/judging/stance.ts';
import type { PerspectiveView } from '../contract/panel.ts';
import { mayContact, type PanelContext } from './panel-context.ts';
import type { Question } from './question.ts';

interface Proposal {
  readonly stance: ProposedStance;
  /** Name of the model, as shown to the user. */
  readonly by: string;
}

export class StanceReview {
  readonly #context: PanelContext;
  readonly #question: Question;
  /** By question and perspective text, so that a proposal is never shown for another text. */
  readonly #proposals = new Map<string, Proposal>();

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
  }

  /** Asks the model about all perspectives together; keeps only proposals for perspectives without a stance. */
  async propose(): Promise<void> {
    const { engine, tasks, choices } = this.#context;
    const { generator } = choices;
    const { text, perspectives } = this.#question;
    const missing = perspectives.filter(({ stance }) => stance === undefined);
    if (!generator?.hasChatModel || missing.length === 0 || !mayContact(this.#context, generator)) return;
    const params = {
      judge: generator.name,
      query: text,
      perspectives: perspectives.map((perspective) => perspective.text),
    };
    const proposed = await tasks.run('stances', l10n.t`Asking ${generator.label} for stances`, ({ signal }) =>
      engine.request('proposeStances', params, { signal }),
    );
    if (!proposed) return;
    perspectives.forEach((perspective, index) => {
      const stance = proposed.stances[index];
      if (stance && missing.includes(perspective))
        this.#proposals.set(keyOf(text, perspective), { stance, by: proposed.model });
    });
    this.#context.changed();
  }

  /** Accepts the proposal as the perspective's stance. A proposal that takes no side cannot be accepted. */
  async accept(perspectiveId: string): Promise<void> {
    const proposal = this.#proposalFor(this.#find(perspectiveId));
    if (proposal && proposal.stance !== 'neither') await this.#set(perspectiveId, proposal.stance, 'model');
  }

  reject(perspectiveId: string): void {
    const perspective = this.#find(perspectiveId);
    if (perspective) this.#proposals.delete(keyOf(this.#question.text, perspective));
  }

  /** Sets the user's own stance. `undefined` removes it. */
  async set(perspectiveId: string, stance: Stance | undefined): Promise<void> {
    await this.#set(perspectiveId, stance, 'human');
  }

  /** The stance or the proposed stance of a perspective, as the panel shows it. */
  view(perspective: Perspective): Pick<PerspectiveView, 'stance' | 'stanceBy' | 'proposal'> {
    const { stance, stanceBy } = perspective;
    const proposal = stance ? undefined : this.#proposalFor(perspective);
    return {
      ...(stance ? { stance } : {}),
      ...(stanceBy ? { stanceBy } : {}),
      ...(proposal ? { proposal } : {}),
    };
  }

  /** Writes the file first, so that the panel shows only stored stances. */
  async #set(perspectiveId: string, stance: Stance | undefined, by: StanceSource): Promise<void> {
    const perspective = this.#find(perspectiveId);
    if (!perspective) return;
    const { text, evalQuery, source } = this.#question;
    if (source === 'eval-set' && evalQuery)
      await this.#context.actions.saveStance(evalQuery, perspective, { stance, by });
    if (this.#question.text !== text) return;
    this.#question.setStance(perspectiveId, stance, by);
    this.#proposals.delete(keyOf(text, perspective));
  }

  #find(perspectiveId: string): Perspective | undefined {
    return this.#question.perspectives.find(({ id }) => id === perspectiveId);
  }

  #proposalFor(perspective: Perspective | undefined): Proposal | undefined {
    return perspective && this.#proposals.get(keyOf(this.#question.text, perspective));
  }
}

const keyOf = (question: string, { text }: Perspective): string => JSON.stringify([question, text]);
