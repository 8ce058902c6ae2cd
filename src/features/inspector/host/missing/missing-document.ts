/** A document that the user expects among the passages, and why it is not there. */
import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { changedName } from '../../../explain/core/changes.ts';
import type { Explanation, NamedTarget, TriedChange } from '../../../explain/core/explanation.ts';
import { changedPipeline } from '../../../explain/core/wording.ts';
import type { NamedPipeline, Pipeline } from '../../../../core/pipeline.ts';
import { pipelineLabel, retrieverLabel } from '../../../../core/pipeline-label.ts';
import type { InspectorState } from '../../contract/panel.ts';
import { measuredSet, plainQuery } from '../../../../shared/eval-query.ts';
import type { Params } from '../../../../shared/rpc.ts';
import type { PanelContext } from '../panel-context.ts';
import type { Question } from '../question.ts';

/** A longer list would push the answer off the screen. */
const MAX_OFFERED = 6;

export class MissingDocument {
  readonly #context: PanelContext;
  readonly #question: Question;
  #shown: Omit<NonNullable<InspectorState['missing']>, 'askable'> | undefined;
  #target: NamedTarget | undefined;
  #typed = '';
  #offered: InspectorState['offered'];

  constructor(context: PanelContext, question: Question) {
    this.#context = context;
    this.#question = question;
  }

  /** Explains the document for the question and pipeline in view, and scrolls to the explanation. */
  async explain(target: NamedTarget): Promise<void> {
    await this.#explain(target, () => this.#context.actions.showExplanation());
  }

  /** Explains the document again for a changed question or pipeline, without scrolling. */
  async explainAgain(): Promise<void> {
    if (this.#target) await this.#explain(this.#target, () => undefined);
  }

  async #explain(target: NamedTarget, onAnswer: () => void): Promise<void> {
    const { choices, publish } = this.#context;
    const { document } = target;
    this.#target = target;
    this.#shown = { document };
    publish();
    const { pipeline } = choices;
    const explanation = await this.#asked(target, false);
    // A newer request may have replaced this one.
    if (this.#target !== target) return;
    this.#shown = explanation && { document, explanation };
    publish();
    if (explanation) onAnswer();
    if (explanation?.change) await this.#measure(pipeline, explanation.change);
  }

  #asked(target: NamedTarget, trySplitters: boolean): Promise<Explanation | undefined> {
    const { tasks, engine, choices } = this.#context;
    const { reference: query, perspectives } = this.#question;
    const { corpus, pipeline } = choices;
    const title = trySplitters ? l10n.t('Trying other splitters') : l10n.t('Looking for the document');
    const request = {
      corpus,
      query,
      perspectives: [...perspectives],
      pipeline,
      ...target,
      tryChanges: true,
      trySplitters,
      atOnce: true,
    };
    return tasks.run('explain', title, (context) => engine.request('explain', request, context));
  }

  /** Also tries splitters, if nothing else helps. If cancelled, keeps the current explanation. */
  async trySplitters(): Promise<void> {
    const target = this.#target;
    if (!target) return;
    const { pipeline } = this.#context.choices;
    const explanation = await this.#asked(target, true);
    if (!explanation || this.#target !== target) return;
    this.#shown = { document: target.document, explanation };
    this.#context.publish();
    if (explanation.change) await this.#measure(pipeline, explanation.change);
  }

  /** Offers documents that match the typed text. @throws ParallaxError as the engine does */
  async complete(typed: string): Promise<void> {
    const { engine, choices, publish } = this.#context;
    const text = typed.trim();
    this.#typed = text;
    const request = { corpus: choices.corpus, text, most: MAX_OFFERED };
    const documents = text === '' ? [] : (await engine.request('documentsNamed', request)).documents;
    // A request for later text may have been answered first.
    if (this.#typed !== text) return;
    this.#offered = { text, documents };
    publish();
  }

  /** Asks a running program for more passages than it returned. @throws ParallaxError with the program's error */
  async askProgram(id: string): Promise<void> {
    const { tasks, engine, choices, programs } = this.#context;
    const { document, explanation } = this.#shown ?? {};
    const site = explanation?.programs?.find((each) => each.id === id)?.live?.site;
    if (document === undefined || site === undefined) return;
    const pool = await tasks.run('explain', l10n.t('Asking your program'), async (context) => {
      const more = await programs.askForMore(site, this.#question.text, context.signal);
      if (!more) return undefined;
      const results = [...more.passages];
      const params = { corpus: choices.corpus, document, results, asked: more.k };
      return engine.request('placeInProgram', params, context);
    });
    if (!pool || !this.#shown || this.#shown.explanation !== explanation) return;
    this.#shown = { ...this.#shown, pools: { ...this.#shown.pools, [id]: pool } };
  }

  /** The effect of the change on the eval set. `undefined` if there is none. */
  async #measure(before: Pipeline, { pipeline: after, split }: TriedChange): Promise<void> {
    const { tasks, engine, choices, publish } = this.#context;
    const dataset = this.#dataset;
    const explained = this.#shown;
    if (!dataset || !explained) return;
    const judge = choices.judge.name;
    const price = await tasks.run('explain', l10n.t('Measuring the change'), (context) =>
      engine.request('changePrice', { judge, dataset, before, after, split }, context),
    );
    if (price && this.#shown === explained) this.#shown = { ...explained, price };
    publish();
  }

  /** The eval set on which changes are measured. */
  get #dataset(): Params<'changePrice'>['dataset'] | undefined {
    const { choices, workspace } = this.#context;
    const measured = measuredSet(workspace().evalQueries, this.#question.text);
    if (!measured) return undefined;
    const { evalSet, queries } = measured;
    return { name: evalSet, corpus: choices.corpus, evalSet, queries: queries.map(plainQuery) };
  }

  /** The changed pipeline under an unused name. */
  get #named(): NamedPipeline | undefined {
    const { choices } = this.#context;
    const change = this.#shown?.explanation?.change;
    if (!change || change.split) return undefined;
    const { pipeline, pipelines } = choices;
    // The first pipeline is used without its name until one is chosen.
    const { name } = pipelines.find((each) => isDeepStrictEqual(each.pipeline, pipeline)) ?? pipeline;
    const usedNames = pipelines.map((each) => each.name);
    return {
      name: changedName(name ?? retrieverLabel(pipeline.retriever), change, usedNames),
      pipeline: change.pipeline,
    };
  }

  /**
   * Adds the changed pipeline to parallax.json, or changes the corpus' split there.
   *
   * @returns the pipeline, for further use
   * @throws ParallaxError the error of the file
   */
  async save(): Promise<Pipeline | undefined> {
    const split = this.#shown?.explanation?.change?.split;
    if (split) {
      await this.#context.actions.saveSplit(this.#context.choices.corpus, split);
      return undefined;
    }
    const named = this.#named;
    if (!named) return undefined;
    await this.#context.actions.savePipeline(named);
    return { ...named.pipeline, name: named.name };
  }

  /**
   * Compares both pipelines on the eval set, at the larger k of the two. A comparison has one k, so if the pipelines
   * differ only in k, it contains one of them, whose curves include both values.
   */
  async compare(): Promise<void> {
    const { tasks, engine, choices, actions } = this.#context;
    const { pipeline } = choices;
    const named = this.#named;
    const dataset = this.#dataset;
    if (!named || !dataset) return;
    const isOnlyK = this.#shown?.explanation?.change?.kind === 'k';
    const request = {
      judge: choices.judge.name,
      datasets: [dataset],
      pipelines: isOnlyK ? [named] : [{ name: pipelineLabel(pipeline), pipeline }, named],
      k: Math.max(pipeline.k, named.pipeline.k),
    };
    const comparison = await tasks.run('explain', l10n.t('Comparing'), (context) =>
      engine.request('compare', request, context),
    );
    if (comparison) await actions.showComparison(comparison.id);
  }

  /** Adds the document to an eval set, as one that this question must find within k. */
  async expect(): Promise<void> {
    const { explanation } = this.#shown ?? {};
    if (!explanation?.passage) return;
    const { documentId: document } = explanation.passage;
    const expected = { id: 'p1', text: document, document, within: explanation.k };
    await this.#context.actions.addToEvalSet({ text: this.#question.text, perspectives: [expected] });
  }

  /** Kept when the question is answered again, because another pipeline may return the document. */
  get document(): string | undefined {
    return this.#target?.document;
  }

  get change(): Pipeline | undefined {
    const { explanation } = this.#shown ?? {};
    return explanation && changedPipeline(explanation);
  }

  forget(): void {
    this.#target = undefined;
    this.#shown = undefined;
  }

  /** Captured retrievals whose program can be asked for more passages. */
  get #askable(): string[] {
    const { canAskForMore } = this.#context.programs;
    const answers = this.#shown?.explanation?.programs ?? [];
    return answers.flatMap(({ id, live }) => (live && canAskForMore(live.site) ? [id] : []));
  }

  get view(): Pick<InspectorState, 'missing' | 'offered'> {
    return {
      ...(this.#shown ? { missing: { ...this.#shown, askable: this.#askable } } : {}),
      ...(this.#offered ? { offered: this.#offered } : {}),
    };
  }
}
