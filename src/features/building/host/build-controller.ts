/**
 * Builds an eval set: asks for the material and confirms the cost, has drafts written, and adds accepted drafts to the
 * eval set. Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { usualBudget } from '../core/effort.ts';
import { ParallaxError } from '../../../core/errors.ts';
import type { Query } from '../../../core/model.ts';
import type { NamedPipeline, Pipeline } from '../../../core/pipeline.ts';
import type { MaterialRequest } from '../contract/building.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import { requireTrust } from '../../../shared/untrusted.ts';
import { judgeChoices, type JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import type { WorkspaceState } from '../../../extension/workspace/workspace-state.ts';
import type { TaskContext } from '../../../extension/tasks/task-list.ts';
import { requireUsableConfig } from '../../../extension/workspace/usable-config.ts';
import { pipelinesOf } from '../../../shared/defaults/default-config.ts';
import { acceptedText, builtText, labelSetText, type BuildPlan } from './build-text.ts';

export interface BuildOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => WorkspaceState;
  readonly trusted: () => boolean;
  /** The corpus and the judge in view, and the questions asked of the corpus. */
  readonly asked: () => {
    readonly corpus: string;
    readonly judge: string;
    readonly queries: readonly Query[];
    /** Questions of the side panel, newest first. */
    readonly history: readonly string[];
  };
  /** 0 for no limit. */
  readonly requestBudget: () => number;
  /** The input for a model that suggests perspectives, and the largest number of suggestions. */
  readonly suggesting: () => { readonly from: 'passages' | 'question'; readonly count: number };
  /** Absolute. @throws ParallaxError `not-found` if no folder is open */
  readonly draftsFile: () => string;
  /** Each dialog resolves to `undefined` if the user cancels. */
  readonly actions: {
    /**
     * The dialog does not choose the searches for each question.
     *
     * @param questions past questions, newest first
     */
    chooseMaterial(corpus: string, questions: readonly string[]): Promise<MaterialRequest | undefined>;
    /** @param needed leaves out the choice to ask no judge */
    chooseJudge(
      choices: readonly JudgeChoice[],
      needed: boolean,
    ): Promise<JudgeChoice | 'nobody' | undefined>;
    chooseCount(): Promise<number | undefined>;
    confirm(plan: BuildPlan): Promise<boolean>;
    /** Shows the work with a way to cancel it. */
    progress<T>(title: string, work: (context: TaskContext) => Promise<T>): Promise<T>;
    /** Saves unsaved edits of the drafts. */
    saveDrafts(): Promise<void>;
    /** Opens the drafts and shows the result. */
    showDrafts(message: string): Promise<void>;
    /** @returns an absolute path */
    chooseEvalSet(): Promise<string | undefined>;
    /** @param evalSet absolute */
    showAccepted(message: string, evalSet: string, queued: number): Promise<void>;
    choosePipelines(pipelines: readonly NamedPipeline[]): Promise<readonly Pipeline[] | undefined>;
    showLabelSet(message: string, queued: number): Promise<void>;
  };
}

/** Passages of each pipeline that are queued for labelling (BERDS, appendix A.4). */
const LABEL_SET_K = 5;
/** Questions with fewer perspectives are left out. */
const MIN_PERSPECTIVES = 2;

export class BuildController {
  readonly #options: BuildOptions;

  constructor(options: BuildOptions) {
    this.#options = options;
  }

  /**
   * Has drafts written within a budget, and shows them.
   *
   * @throws ParallaxError `bad-config`, `untrusted`, `model-missing` if there is no model to write, or the engine's
   *   error
   */
  async build(): Promise<void> {
    const { engine, actions, asked, draftsFile, workspace } = this.#options;
    requireUsableConfig(workspace().configProblem);
    const generator = this.#generator();
    const drafts = draftsFile();
    const chosen = await actions.chooseMaterial(asked().corpus, asked().history);
    const material = chosen && this.#searched(chosen);
    const judge = material && (await this.#chooseJudge(material));
    const count = judge && (await actions.chooseCount());
    if (!material || !judge || count === undefined) return;
    const params = {
      material,
      generator: generator.name,
      count,
      drafts,
      ...(judge === 'nobody' ? {} : { judge: judge.name }),
    };
    await actions.saveDrafts();
    const effort = await engine.request('buildEffort', params);
    if (effort.wanted === 0) return actions.showDrafts(builtText(undefined, effort));
    const budget = this.#options.requestBudget() || usualBudget(count);
    const plan = {
      generator: generator.label,
      effort,
      budget,
      judge: judge === 'nobody' ? undefined : judge.label,
      shown: material.from === 'corpus' ? undefined : material.corpus,
    };
    if (!(await actions.confirm(plan))) return;
    const report = await actions.progress(l10n.t('Building drafts'), ({ signal, onNote }) =>
      engine.request('build', { ...params, requests: budget }, { signal, onNote }),
    );
    await actions.showDrafts(builtText(report, effort));
  }

  /** Adds the accepted drafts to an eval set, and their passages to the review queue. */
  async addAccepted(): Promise<void> {
    const { engine, actions, asked, draftsFile } = this.#options;
    const drafts = draftsFile();
    await actions.saveDrafts();
    const evalSet = await actions.chooseEvalSet();
    if (evalSet === undefined) return;
    const report = await engine.request('acceptDrafts', { drafts, evalSet, corpus: asked().corpus });
    await actions.showAccepted(acceptedText(report), evalSet, report.queued);
  }

  /**
   * Queues for review the passages that two pipelines find for the questions of the workspace (BERDS, appendix A.4).
   *
   * @throws ParallaxError `bad-config`, `no-eval-set` if no question has perspectives
   */
  async labelSet(): Promise<void> {
    const { engine, actions, asked, workspace } = this.#options;
    requireUsableConfig(workspace().configProblem);
    const { corpus, queries: all } = asked();
    const queries = all
      .filter(({ perspectives }) => perspectives.length > 0)
      .map(({ id, text, perspectives }) => ({
        id,
        text,
        perspectives,
      }));
    if (queries.length === 0)
      throw new ParallaxError(
        'no-eval-set',
        l10n.t('No question has perspectives. Name an eval set in "evalSets" of parallax.json first.'),
      );
    const chosen = await actions.choosePipelines(pipelinesOf(workspace().config));
    if (!chosen || chosen.length === 0) return;
    const params = { corpus, queries, pipelines: [...chosen], k: LABEL_SET_K };
    const report = await actions.progress(l10n.t('Searching for pairs to label'), ({ signal, onNote }) =>
      engine.request('labelSet', params, { signal, onNote }),
    );
    await actions.showLabelSet(labelSetText(report, queries.length), report.added);
  }

  /** The judge whose model writes: the workspace's generator, else the judge in view. */
  #generator(): JudgeChoice {
    const { workspace, asked, trusted } = this.#options;
    const { config } = workspace();
    const name = config.generator ?? asked().judge;
    const choice = judgeChoices(config).find((each) => each.name === name);
    if (!choice?.hasChatModel)
      throw new ParallaxError(
        'model-missing',
        l10n.t('Building needs a model that writes: name a chat model as "generator" in parallax.json.'),
      );
    requireTrust(trusted());
    return choice;
  }

  /** Adds the corpus that the perspectives of questions are written from, if any. */
  #searched(material: MaterialRequest): MaterialRequest {
    if (material.from === 'corpus') return material;
    const { from, count } = this.#options.suggesting();
    const { corpus } = this.#options.asked();
    if (material.form === 'contrast') return { ...material, corpus };
    if (material.form === 'negation') return material;
    const limit = Math.max(MIN_PERSPECTIVES, count);
    return from === 'passages' ? { ...material, limit, corpus } : { ...material, limit };
  }

  /** Asks for the judge of passages, if drafts have any. */
  async #chooseJudge(material: MaterialRequest): Promise<JudgeChoice | 'nobody' | undefined> {
    const needed = material.from !== 'corpus';
    if (needed && material.form !== 'contrast') return 'nobody';
    const choices = judgeChoices(this.#options.workspace().config).filter(({ canJudge }) => canJudge);
    return this.#options.actions.chooseJudge(choices, needed);
  }
}
