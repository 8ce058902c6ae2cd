/**
 * Validates judges on labels: asks for the judges and the labels, confirms the cost, runs the validation, and shows the
 * report. Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import { LABELS_FILE } from '../../../shared/config.ts';
import type { Workload } from '../../../shared/judge-effort.ts';
import type { Effort } from '../../../shared/requests/spending.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { ValidationReport } from '../core/report.ts';
import { requireTrust } from '../../../shared/untrusted.ts';
import type { CostSettings } from '../../../extension/judging/cost-settings.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import {
  chooseJudge,
  judgeChoices,
  needsNoQuestion,
  type JudgeChoice,
} from '../../../extension/judging/judge-choice.ts';
import type { WorkspaceState } from '../../../extension/workspace/workspace-state.ts';
import type { TaskContext } from '../../../extension/tasks/task-list.ts';
import { pairsWithin, partOf, validationEffort } from './validation-cost.ts';
import { escapeMarkdown } from '../../../core/reports/escape.ts';
import { markdownTable } from '../../../core/reports/markdown.ts';
import { unansweredSentences, validationView } from '../../../core/reports/validation.ts';

/** More than a reader needs; the JSON has all perspectives. */
const MAX_PERSPECTIVES = 40;

/** @param source of the labels, as shown to the user */
export function validationText(report: ValidationReport, source: string): string {
  const { title, headline, sections } = validationView(report, source, MAX_PERSPECTIVES);
  const warnings = [...report.warnings, ...unansweredSentences(report)];
  return [
    `# ${title}`,
    escapeMarkdown(headline),
    ...warnings.map((warning) => `> ⚠ ${escapeMarkdown(warning)}`),
    ...sections.flatMap(({ title: heading, parts }) => [
      `## ${escapeMarkdown(heading)}`,
      ...parts.map((part) => (typeof part === 'string' ? escapeMarkdown(part) : markdownTable(part))),
    ]),
    '',
  ].join('\n\n');
}

/** The labels of the workspace, or a file by its absolute path. */
export type LabelSource = { readonly own: true } | { readonly own: false; readonly path: string };

type LabelledWork = Result<'labelledWork'>;

/** The plan that the user confirms. */
export interface ValidationPlan {
  readonly judges: readonly string[];
  /** The largest number of pairs. */
  readonly pairs: number;
  /** The number of all pairs, if the budget allows only a random sample of them. */
  readonly of: number | undefined;
  readonly effort: Effort;
}

export interface ValidationOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => WorkspaceState;
  readonly trusted: () => boolean;
  readonly judgeSetting: () => string;
  readonly costSettings: () => CostSettings;
  /** Each dialog resolves to `undefined` if the user cancels. */
  readonly actions: {
    /** One or several; `likely` is the one in use. */
    chooseJudges(choices: readonly JudgeChoice[], likely: string): Promise<readonly string[] | undefined>;
    chooseLabels(own: boolean): Promise<LabelSource | undefined>;
    /** The corpus that the labels refer to, if there are several. */
    chooseCorpus(names: readonly string[]): Promise<string | undefined>;
    confirm(plan: ValidationPlan): Promise<boolean>;
    /** Shows the work with a way to cancel it. */
    progress<T>(title: string, work: (context: TaskContext) => Promise<T>): Promise<T>;
    show(text: string, report: ValidationReport): Promise<void>;
  };
}

export class ValidationController {
  readonly #options: ValidationOptions;

  constructor(options: ValidationOptions) {
    this.#options = options;
  }

  /**
   * @throws ParallaxError `untrusted` if a judge would contact an endpoint of an untrusted workspace, `not-found` and
   *   `bad-file` for the labels, `cancelled`, or the engine's error
   */
  async run(): Promise<void> {
    const { actions, engine, workspace } = this.#options;
    const judges = await this.#chooseJudges();
    if (!judges) return;
    const source = await actions.chooseLabels(workspace().open);
    if (!source) return;
    const labels = await this.#countLabels(source);
    const corpus = await this.#corpusOf(labels);
    if (labels.ofCorpus && corpus === undefined) return;
    const plan = this.#plan(judges, labels);
    if (!(await this.#mayAsk(plan, judges))) return;
    const params = this.#params(judges, source, corpus, plan);
    const report = await actions.progress(l10n.t('Validating judges'), ({ signal, onNote }) =>
      engine.request('validateJudge', params, { signal, onNote }),
    );
    await actions.show(validationText(report, nameOf(source)), report);
  }

  async #chooseJudges(): Promise<readonly JudgeChoice[] | undefined> {
    const { actions, workspace, judgeSetting, trusted } = this.#options;
    const { config } = workspace();
    const choices = judgeChoices(config).filter(({ canJudge }) => canJudge);
    const names = await actions.chooseJudges(choices, chooseJudge(choices, config, judgeSetting()).name);
    const chosen = choices.filter(({ name }) => names?.includes(name));
    requireTrust(trusted() || !chosen.some(({ needsTrust }) => needsTrust));
    return chosen.length > 0 ? chosen : undefined;
  }

  /** Counted by the engine, which reads any number of labels line by line. */
  async #countLabels(source: LabelSource): Promise<LabelledWork> {
    try {
      return await this.#options.engine.request(
        'labelledWork',
        source.own ? {} : { labelsFile: source.path },
      );
    } catch (error) {
      if (!source.own || !ParallaxError.is(error, 'not-found')) throw error;
      throw new ParallaxError(
        'not-found',
        l10n.t`This workspace has no labels yet: ${LABELS_FILE} cannot be read. Label passages first, or choose a file.`,
        { cause: error },
      );
    }
  }

  /** Only labels of a workspace need a corpus, because they name passages without their text. */
  async #corpusOf({ ofCorpus }: LabelledWork): Promise<string | undefined> {
    if (!ofCorpus) return undefined;
    const names = Object.keys(this.#options.workspace().config.corpora);
    if (names.length === 0)
      throw new ParallaxError(
        'not-found',
        l10n.t('These labels name passages of a corpus, and there is none.'),
      );
    return names.length === 1 ? names[0] : this.#options.actions.chooseCorpus(names);
  }

  #plan(judges: readonly JudgeChoice[], { pairs, passages, passageLength }: LabelledWork): ValidationPlan {
    const { requestBudget, prices } = this.#options.costSettings();
    const choices = judgeChoices(this.#options.workspace().config);
    const all = { pairs, passages, passageLength };
    const effortOf = (workload: Workload): Effort => validationEffort(judges, choices, workload, prices);
    const limit = pairsWithin(requestBudget, all, effortOf);
    return {
      judges: judges.map(({ label }) => label),
      pairs: limit ?? all.pairs,
      of: limit === undefined ? undefined : all.pairs,
      effort: effortOf(limit === undefined ? all : partOf(all, limit)),
    };
  }

  async #mayAsk(plan: ValidationPlan, judges: readonly JudgeChoice[]): Promise<boolean> {
    const { confirmCallsAbove } = this.#options.costSettings();
    const cheap = judges.every((judge) => needsNoQuestion(judge, plan.effort, confirmCallsAbove));
    // A plan for only a sample is always confirmed.
    return (cheap && plan.of === undefined) || this.#options.actions.confirm(plan);
  }

  #params(
    judges: readonly JudgeChoice[],
    source: LabelSource,
    corpus: string | undefined,
    { of, pairs }: ValidationPlan,
  ): Params<'validateJudge'> {
    return {
      judges: judges.map(({ name }) => name),
      ...(source.own ? {} : { labelsFile: source.path }),
      ...(corpus === undefined ? {} : { corpus }),
      ...(of === undefined ? {} : { limit: pairs }),
      queries: this.#options
        .workspace()
        .evalQueries.map(({ id, text, perspectives }) => ({ id, text, perspectives })),
    };
  }
}

function nameOf(source: LabelSource): string {
  return source.own ? LABELS_FILE : source.path;
}
