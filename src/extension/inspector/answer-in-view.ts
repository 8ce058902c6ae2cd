/** The answer that the panel shows, with what goes with it: what is tried out on it, how alike its passages are, what it rests on. */
import { ParallaxError } from '../../core/errors.ts';
import { expectedText } from '../../core/explain/wording.ts';
import type { Perspective, Verdict } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import { pipelineLabel } from '../../core/pipeline-label.ts';
import { perspectiveMark, type InspectorState } from '../../shared/panels/inspector.ts';
import type { Params } from '../../shared/rpc.ts';
import type { MappedAnswer } from '../services/panels.ts';
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
  /** The answer that the user is having judged. */
  #judgedByUser: Answer | undefined;
  /** Configuration and perspectives of the answer as text; it is stale once they differ. */
  #premises = '';

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
    this.#judging = new Judging(context);
    this.#deeper = new LookDeeper(context);
  }

  /** @param answer nothing takes away the one in view */
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

  /** Something that the answer rests on may have changed. */
  checkPremises(): void {
    if (this.#premises !== this.#currentPremises) this.markStale();
  }

  /** A stance that was written into an eval set, or a label into the file of labels, takes nothing from an answer. */
  get #currentPremises(): string {
    const { choices, workspace } = this.#context;
    const perspectives = this.#question.perspectives.map(({ id, text }) => [id, text]);
    // Changes of names, gates, eval sets or the fields that are counted take nothing from it either.
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

  /** The pipeline with what is being tried out; nothing before a slider was touched. */
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
   * @param ask the user asked for it: many calls are confirmed, where otherwise they are not made
   * @returns what to show of pairs that failed
   */
  async judge(ask: boolean): Promise<InspectorState['error'] | undefined> {
    const answer = this.#answer;
    // The user can be faster than the judging that follows a search, which would cancel the user's.
    if (!answer || (!ask && this.#judgedByUser === answer)) return undefined;
    if (ask) this.#judgedByUser = answer;
    try {
      return await this.#judging.judge(answer, ask, () => this.#learned(answer));
    } finally {
      if (ask && this.#judgedByUser === answer) this.#judgedByUser = undefined;
    }
  }

  /** @returns what to show of pairs that failed; nothing once another answer is in view */
  async lookDeeper(perspectiveId: string): Promise<InspectorState['error'] | undefined> {
    const answer = this.#answer;
    const problem = answer && (await this.#deeper.look(answer, perspectiveId, () => this.#learned(answer)));
    return answer === this.#answer ? problem : undefined;
  }

  #learned(answer: Answer): void {
    if (answer === this.#answer) this.#context.changed();
  }

  /** Reads anew what people said. @throws ParallaxError what the engine says */
  async readAgain(): Promise<void> {
    if (this.#answer) await this.#judging.readAgain(this.#answer);
  }

  /** The user's own verdict on a passage of the corpus; the perspective by its place. @throws ParallaxError */
  async labelSlot(slot: number, place: number, verdict: Verdict): Promise<void> {
    const perspective = this.#answer?.perspectives[place];
    if (perspective?.document !== undefined)
      throw new ParallaxError('bad-argument', expectedText(perspective.document));
    if (this.#answer && perspective) await this.#judging.label(this.#answer, slot, perspective, verdict);
  }

  /** The same by ids, of a passage that was retrieved or that looking deeper found. @throws ParallaxError */
  async label(passageId: string, perspectiveId: string, verdict: Verdict): Promise<void> {
    const slot = this.#answer?.slotOf(passageId);
    if (slot !== undefined) await this.labelSlot(slot, this.#placeOf(perspectiveId), verdict);
  }

  #placeOf(perspectiveId: string | undefined): number {
    return this.#answer?.perspectives.findIndex(({ id }) => id === perspectiveId) ?? -1;
  }

  /** Opens a passage with its evidence, at that of the perspective. @throws ParallaxError */
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

  /** The perspectives that the top k miss, or of which nobody knows whether it does. */
  get missing(): readonly Perspective[] {
    const coverage = this.#answer?.view().coverage ?? [];
    return this.#question.perspectives.filter(({ id }) =>
      coverage.some(({ perspectiveId, where }) => perspectiveId === id && where !== 'covered'),
    );
  }

  /** As a map of it is drawn; nothing while nothing was asked. */
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

  /** By the id of a passage: the places of the perspectives that it supports; only those that somebody judged. */
  async supportsOf(slots: readonly number[]): Promise<MappedAnswer['supports']> {
    return this.#answer ? this.#judging.supportsOf(this.#answer, slots) : {};
  }

  /** The top k as a question to the chosen judge; nothing without an answer to judge. */
  get judgingTask(): Params<'judge'> | undefined {
    const answer = this.#answer;
    if (!answer || answer.perspectives.length === 0) return undefined;
    return this.#judging.judgingTask(answer, answer.topSlots);
  }

  /** @param passages how many the corpus has, where that is known */
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
