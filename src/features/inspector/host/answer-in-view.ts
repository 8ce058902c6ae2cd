/**
 * The answer that the panel shows, with its what-if, the likeness of its passages, and the configuration it depends on.
 */
import { ParallaxError } from '../../../core/errors.ts';
import { expectedText } from '../../explain/core/wording.ts';
import type { Perspective, Verdict } from '../../../core/model.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import { pipelineLabel } from '../../../core/pipeline-label.ts';
import { perspectiveMark, type InspectorState } from '../contract/panel.ts';
import type { Params } from '../../../shared/rpc.ts';
import type { MappedAnswer } from '../../../extension/services/panels.ts';
import type { Answer } from './answer.ts';
import { AnswerLikeness } from './answer-likeness.ts';
import { Judging } from './judging.ts';
import { LookDeeper } from './look-deeper.ts';
import type { PanelContext } from './panel-context.ts';
import type { Question } from './question.ts';
import { WhatIf, type Tried } from './what-if.ts';

export class AnswerInView {
  readonly #context: PanelContext;
  readonly #question: Question;
  readonly #judging: Judging;
  readonly #deeper: LookDeeper;
  #answer: Answer | undefined;
  #whatIf: WhatIf | undefined;
  #likeness: AnswerLikeness | undefined;
  /** The answer whose judging the user requested. */
  #judgedByUser: Answer | undefined;
  /** Configuration and perspectives of the answer as text. The answer is stale once they differ. */
  #premises = '';

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
    this.#judging = new Judging(context);
    this.#deeper = new LookDeeper(context);
  }

  /** @param answer `undefined` clears the panel */
  show(answer: Answer | undefined): void {
    const { engine, actions, changed } = this.#context;
    this.#answer = answer;
    this.#whatIf = answer && new WhatIf(answer, engine);
    this.#likeness =
      answer && new AnswerLikeness(answer, { engine, changed, log: (message) => actions.log(message) });
    this.#premises = this.#currentPremises;
    void this.#likeness?.refresh();
  }

  get answer(): Answer | undefined {
    return this.#answer;
  }

  markStale(): void {
    this.#answer?.markStale();
  }

  /** Marks the answer as stale if the configuration it depends on has changed. */
  checkPremises(): void {
    if (this.#premises !== this.#currentPremises) this.markStale();
  }

  /** Stances and labels of perspectives are left out, because a new one does not make an answer stale. */
  get #currentPremises(): string {
    const { choices, workspace } = this.#context;
    const perspectives = this.#question.perspectives.map(({ id, text }) => [id, text]);
    // The same applies to names, gates, eval sets and counted fields.
    const { corpora, embedders, judges, generator } = workspace().config;
    return JSON.stringify([
      { ...corpora[choices.corpus], fields: undefined },
      choices.pipeline,
      embedders,
      judges,
      generator,
      perspectives,
    ]);
  }

  /** Never throws. */
  async refreshLikeness(): Promise<void> {
    await this.#likeness?.refresh();
  }

  /** @throws ParallaxError as {@link WhatIf.try} */
  async try(change: Tried): Promise<void> {
    await this.#whatIf?.try(change);
  }

  endWhatIf(): void {
    this.#whatIf?.end();
    void this.#likeness?.refresh();
  }

  /** The pipeline with the changes of the what-if. `undefined` if no slider was moved. */
  get adopted(): Pipeline | undefined {
    return this.#whatIf?.adopted;
  }

  /** Lets the user choose which fields of documents are counted. */
  async chooseFields(): Promise<void> {
    const likeness = this.#likeness?.view().likeness;
    if (!likeness) return;
    const counted = likeness.fields.map(({ name }) => name);
    await this.#context.actions.chooseFields(this.#context.choices.corpus, {
      found: likeness.foundFields,
      counted,
    });
  }

  /**
   * Asks the judge about the unjudged pairs of the top k.
   *
   * @param ask whether the user requested it: only then more calls than the settings allow are offered for confirmation
   * @returns the failure to show for pairs that got no verdict
   */
  async judge(ask: boolean): Promise<InspectorState['error'] | undefined> {
    const answer = this.#answer;
    // A user may request judging before the automatic judging after a search starts, which would cancel it.
    if (!answer || (!ask && this.#judgedByUser === answer)) return undefined;
    if (ask) this.#judgedByUser = answer;
    try {
      return await this.#judging.judge(answer, ask, () => this.#learned(answer));
    } finally {
      if (ask && this.#judgedByUser === answer) this.#judgedByUser = undefined;
    }
  }

  /** @returns the failure to show for pairs that got no verdict; `undefined` once another answer is in view */
  async lookDeeper(perspectiveId: string): Promise<InspectorState['error'] | undefined> {
    const answer = this.#answer;
    const problem = answer && (await this.#deeper.look(answer, perspectiveId, () => this.#learned(answer)));
    return answer === this.#answer ? problem : undefined;
  }

  #learned(answer: Answer): void {
    if (answer === this.#answer) this.#context.changed();
  }

  /** Reads labels again. @throws ParallaxError as the engine does */
  async readAgain(): Promise<void> {
    if (this.#answer) await this.#judging.readAgain(this.#answer);
  }

  /**
   * Stores the user's verdict on a passage of the corpus. `place` is the position of the perspective. @throws
   * ParallaxError
   */
  async labelSlot(slot: number, place: number, verdict: Verdict): Promise<void> {
    const perspective = this.#answer?.perspectives[place];
    if (perspective?.document !== undefined)
      throw new ParallaxError('bad-argument', expectedText(perspective.document));
    if (this.#answer && perspective) await this.#judging.label(this.#answer, slot, perspective, verdict);
  }

  /** {@link labelSlot} by ids, for a passage that was retrieved or found by looking deeper. @throws ParallaxError */
  async label(passageId: string, perspectiveId: string, verdict: Verdict): Promise<void> {
    const slot = this.#answer?.slotOf(passageId);
    if (slot !== undefined) await this.labelSlot(slot, this.#placeOf(perspectiveId), verdict);
  }

  #placeOf(perspectiveId: string | undefined): number {
    return this.#answer?.perspectives.findIndex(({ id }) => id === perspectiveId) ?? -1;
  }

  /** Opens a passage with its evidence, and scrolls to the evidence of the perspective. @throws ParallaxError */
  async open(passageId: string, perspectiveId: string | undefined): Promise<void> {
    const { engine, actions, choices } = this.#context;
    const { corpus } = choices;
    const known = this.#answer?.candidate(passageId);
    const passage = known ?? (await engine.request('passage', { corpus, passageId }));
    const evidence = known && this.#answer ? this.#answer.evidence(known.slot) : [];
    const place = this.#placeOf(perspectiveId);
    const letter = place < 0 ? undefined : perspectiveMark(place).letter;
    const focus = evidence.find((each) => each.letter === letter)?.span;
    await actions.open(corpus, { passage, focus }, evidence);
  }

  /** The perspectives that the top k do not cover, or may not cover. */
  get missing(): readonly Perspective[] {
    const coverage = this.#answer?.view().coverage ?? [];
    return this.#question.perspectives.filter(({ id }) =>
      coverage.some(({ perspectiveId, where }) => perspectiveId === id && where !== 'covered'),
    );
  }

  /** The answer with what a map of it needs. `undefined` before the first question. */
  get mapped(): MappedAnswer | undefined {
    const answer = this.#answer;
    if (!answer) return undefined;
    const { corpus, query, perspectives, pipeline, candidates, supports } = answer;
    return {
      corpus,
      query,
      perspectives,
      pipeline,
      name: pipeline.name ?? pipelineLabel(pipeline),
      candidates: candidates.map(({ slot }) => slot),
      supports,
    };
  }

  /**
   * For each passage id, the positions of the perspectives that it supports. Passages without judgements have no entry.
   */
  async supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']> {
    return this.#answer ? this.#judging.supportsOf(this.#answer, slots) : {};
  }

  /** The top k as a request to the chosen judge. `undefined` if there is no answer to judge. */
  get judgingTask(): Params<'judge'> | undefined {
    const answer = this.#answer;
    if (!answer || answer.perspectives.length === 0) return undefined;
    return this.#judging.judgingTask(answer, answer.topSlots);
  }

  /** @param passages the number of passages of the corpus, if known */
  view(passages: number | undefined): Pick<InspectorState, 'results'> {
    if (!this.#answer) return {};
    return {
      results: {
        ...this.#answer.view(passages),
        lookDeeperPassages: this.#context.settings().lookDeeperPassages,
        ...this.#whatIf?.view(),
        ...this.#likeness?.view(),
      },
    };
  }
}
