/** Requests about answers: whether retrieval improves them, and the cost to find out. */
import * as l10n from '@vscode/l10n';
import { goldPassages } from '../../core/answers/gold.ts';
import { retrievalSuccess } from '../../../../core/metrics/retrieval-success.ts';
import { promptTask } from '../../../../core/judging/prompts/template.ts';
import { ParallaxError } from '../../../../core/errors.ts';
import type { Query } from '../../../../core/model.ts';
import type { AnswerReport } from '../../../../shared/answers.ts';
import type { EngineConfig } from '../../../../shared/requests/configuration.ts';
import type { Params, Result } from '../../../../shared/rpc.ts';
import type { CorpusIndex } from '../../../../engine/corpora/corpus-index.ts';
import { circularIn, judgeOfBoth } from '../../../../engine/experiment/circular.ts';
import {
  judgementsOf,
  questionsOf,
  type ExperimentDataset,
  type Experiments,
  type RanDataset,
} from '../../../../engine/experiment/experiments.ts';
import type { LabelSource } from '../../../../engine/experiment/label-source.ts';
import type { PipelineRuns } from '../../../../engine/experiment/pipeline-runs.ts';
import { Budget } from '../../../../engine/judgements/budget.ts';
import type { Judge } from '../../../../engine/judges/judge.ts';
import type { Judges } from '../../../../engine/judges/judges.ts';
import type { PaidReplies } from '../../../../engine/models/paid-replies.ts';
import type { StoredPassage, WorkOptions } from '../../../../engine/types.ts';
import type { AnswerModel } from './asking.ts';
import {
  answerCost,
  answerReport,
  type AnswerDataset,
  type AnswerOptions,
  type GivenPassage,
} from './answer-report.ts';

export interface AnswersParts {
  readonly config: EngineConfig;
  readonly judges: Judges;
  /** Persistent. */
  readonly replies: PaidReplies;
  readonly experiments: Experiments;
}

type Dataset = ExperimentDataset & { readonly evalSet: string };

export class Answers {
  readonly #parts: AnswersParts;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /**
   * Writes and judges every answer that is not cached.
   *
   * @throws ParallaxError `bad-argument` for an unknown judge or a measure that cannot define success, `model-missing`
   *   for a judge without a chat model, the errors of opening a corpus, `cancelled`
   */
  async answer(params: Params<'answers'>, work: WorkOptions): Promise<AnswerReport> {
    const options = this.#options(params);
    const datasets = await this.#datasets(params, work);
    return answerReport(datasets, options, new Budget(params.budget), work);
  }

  /** @throws ParallaxError like {@link answer} */
  async cost(params: Params<'answersCost'>, work: WorkOptions): Promise<Result<'answersCost'>> {
    const options = this.#options(params);
    return answerCost(await this.#datasets(params, work), options, params.prices ?? {}, work);
  }

  #options({
    generator,
    judge,
    k,
    baselines,
    alignBy,
    successOnly = false,
  }: Pick<
    Params<'answers'>,
    'generator' | 'judge' | 'k' | 'baselines' | 'alignBy' | 'successOnly'
  >): AnswerOptions {
    const { config, judges, replies } = this.#parts;
    return {
      k,
      baselines,
      ...(alignBy ? { alignBy: retrievalSuccess(alignBy.measure, alignBy.least, k) } : {}),
      generator: answerModel(judges, generator ?? config.generator ?? judge, 'write answers'),
      judge: answerModel(judges, judge, 'judge answers'),
      successOnly,
      replies,
    };
  }

  #datasets(
    params: Pick<Params<'answers'>, 'datasets' | 'pipelines' | 'judge' | 'k' | 'filledBy'>,
    work: WorkOptions,
  ): Promise<AnswerDataset[]> {
    const { config, experiments } = this.#parts;
    const { k, judge, filledBy } = params;
    const request = questionsOf<Dataset>(params, this.#passageJudge(filledBy ?? judge));
    const isOfJudge = ({ pipeline }: PipelineRuns): string | undefined =>
      judgeOfBoth(pipeline, judge, config);
    const asked = { k, isFilled: filledBy !== undefined, isOfJudge };
    return experiments.run(request, work, (ran) => answerDataset(ran, asked, work));
  }

  /** `undefined` for a judge whose own prompt is about answers: it cannot judge passages. */
  #passageJudge(name: string): Judge | undefined {
    const { config, judges } = this.#parts;
    const own = config.judges[name];
    const prompt = own && 'prompt' in own ? own.prompt : undefined;
    return prompt && promptTask(prompt) !== 'judge' ? undefined : judges.get(name);
  }
}

interface AskedAnswers {
  readonly k: number;
  /** Whether holes are filled by a judge that counts only after filling. */
  readonly isFilled: boolean;
  /** The judge in a pipeline's steps that also judges its answers. */
  readonly isOfJudge: (runs: PipelineRuns) => string | undefined;
}

/**
 * Queries with the passages that every pipeline returns for them. Figures of retrieval are based on existing
 * judgements; no passage is judged here.
 */
async function answerDataset(
  ran: RanDataset<Dataset>,
  { k, isFilled, isOfJudge }: AskedAnswers,
  { signal }: WorkOptions,
): Promise<AnswerDataset> {
  const { dataset, leftOut, index, labels, runs } = ran;
  const { name, corpus, evalSet, queries } = dataset;
  if (queries.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`No question of ${evalSet} has perspectives that an answer could represent.`,
    );
  const judgements = await judgementsOf(ran, { k }, { signal });
  const before = isFilled
    ? await judgementsOf({ ...ran, labels: labels.judgedBy(undefined) }, { k }, { signal })
    : undefined;
  const gold = new Map<string, readonly GivenPassage[]>();
  for (const query of queries) {
    const passages = await goldOf(query, index, labels, k);
    if (passages.length > 0) gold.set(query.id, passages);
  }
  return {
    name,
    corpus,
    evalSet,
    queries,
    ...(leftOut.length > 0 ? { leftOut: leftOut.map(({ id }) => id) } : {}),
    pipelines: runs.map((own) => {
      const { name: pipeline, questions, queryErrors, error } = own;
      const found = [...questions].map(
        ([id, slots]) => [id, givenPassages(index.passages(slots.slice(0, k)))] as const,
      );
      const circular = isOfJudge(own) ?? circularIn(own, judgements);
      return { name: pipeline, passages: new Map(found), circular, queryErrors, error: error?.message };
    }),
    gold,
    qrels: judgements.qrels,
    basis: judgements.basis,
    ...(before ? { before: { qrels: before.qrels, basis: before.basis } } : {}),
  };
}

/** Passages that support according to people or the qrels. */
async function goldOf(
  query: Query,
  index: CorpusIndex,
  labels: LabelSource,
  k: number,
): Promise<GivenPassage[]> {
  const supporters = await labels.judgedBy(undefined).supporters(query);
  const supporting = query.perspectives.map(({ id }) =>
    supporters.filter(({ perspectiveId }) => perspectiveId === id).map(({ passageId }) => passageId),
  );
  return givenPassages(goldPassages(supporting, k).flatMap((id) => index.passageById(id) ?? []));
}

/** Leaves out passages that a foreign retriever returned without text. */
function givenPassages(passages: readonly StoredPassage[]): GivenPassage[] {
  return passages.filter(({ text }) => text !== '').map(({ id, text }) => ({ id, text }));
}

/** Tasks that need a chat model. */
type AnswerPurpose = 'write answers' | 'judge answers';

const ONLY_CHAT_MODELS: Record<AnswerPurpose, (name: string) => string> = {
  'write answers': (name) =>
    l10n.t`"${name}" has no chat model, so it cannot write answers. Name a judge of type "openai" or "vscode".`,
  'judge answers': (name) =>
    l10n.t`"${name}" has no chat model, so it cannot judge answers. Name a judge of type "openai" or "vscode".`,
};

/**
 * The chat model of a judge, for requests about answers.
 *
 * @throws ParallaxError `bad-argument` for an unknown name, `model-missing` for a judge without a chat model
 */
function answerModel(judges: Judges, name: string, purpose: AnswerPurpose): AnswerModel {
  try {
    return { name, ...judges.chatModel(name) };
  } catch (error) {
    if (!ParallaxError.is(error, 'model-missing')) throw error;
    throw new ParallaxError('model-missing', ONLY_CHAT_MODELS[purpose](name), { cause: error });
  }
}
