import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import {
  parseSuggested,
  passagesToShow,
  suggestPrompt,
  type SuggestedPerspective,
} from '../../core/judging/suggest.ts';
import { squeeze } from '../../core/formats/quotes.ts';
import type { Perspective, Verdict } from '../../core/model.ts';
import { passageNames } from '../../core/text/passage-name.ts';
import { BUILT_IN_JUDGES, judgeEffort } from '../../shared/named-judges.ts';
import type { Workload } from '../../shared/judge-effort.ts';
import { SHORTEST_QUOTE, type RefusedLabel } from '../../shared/requests/judging.ts';
import type { JudgedPair } from '../../shared/requests/passages.ts';
import type { Params, Result } from '../../shared/rpc.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { EngineState } from '../engine-state.ts';
import { Budget } from '../judgements/budget.ts';
import { countingJudge } from '../judges/judge.ts';
import { listModels, type OpenAiSettings } from '../models/openai-client.ts';
import { createOpenAiModel } from '../models/openai-model.ts';
import { generatePerspectives, type GenerateOptions } from '../generation/generate-perspectives.ts';
import { mostDiverseFirst } from '../likeness/most-diverse-first.ts';
import type { StoredPassage } from '../types.ts';
import { requireCounting, type JudgingTask, type ReadReport } from '../judgements/judgement-service.ts';
import { proposeStances } from '../generation/propose-stances.ts';
import type { Noticed } from '../../features/review/engine/gather-pairs.ts';
import { forReview } from '../../features/review/engine/requests/for-review.ts';
import { knownOf } from './known.ts';
import { workOf, type Handlers } from './request.ts';
import { WRITTEN_FORM } from '../../core/judging/answer-form.ts';
import type { ChatModel } from '../models/chat-model.ts';

/** A local model may have to be loaded first. */
const TEST_TIMEOUT_MS = 120_000;
const LIST_TIMEOUT_MS = 5_000;

function unnamedEndpoint(config: Params<'testModel'>['config'], key: string | undefined): OpenAiSettings {
  return { ...config, apiKey: key, maxRetries: 0 };
}

/** Answers requests about what passages support. */
export function judgingHandlers(engine: EngineState) {
  return {
    async judgements(params) {
      const { current } = engine;
      const index = await engine.corpora.get(params.corpus);
      return knownOf(current, index, judgingTaskOf(index, params), params.judge);
    },

    async judgeCost(params) {
      const { config, judgementService, judges } = engine.current;
      const judgingTask = judgingTaskOf(await engine.corpora.get(params.corpus), params);
      const judge = countingJudge(judges.get(params.judge));
      const open = judge ? await judgementService.openPairs(judgingTask, judge) : [];
      const judgesByName = { ...BUILT_IN_JUDGES, ...config.judges };
      return {
        calls: open.length,
        known: judgingTask.passages.length * judgingTask.perspectives.length - open.length,
        effort: judgeEffort(params.judge, judgesByName, workloadOf(open), params.prices ?? {}),
      };
    },

    testModel({ config, key }, { signal }) {
      return createOpenAiModel(unnamedEndpoint(config, key)).probe({ timeoutMs: TEST_TIMEOUT_MS, signal });
    },

    async listModels({ config, key }, { signal }) {
      return { models: await listModels(unnamedEndpoint(config, key), LIST_TIMEOUT_MS, signal) };
    },

    async judge(params, context) {
      const { judgementService, judges, review } = engine.current;
      const judge = requireCounting(judges.get(params.judge), params.judge);
      const judgingTask = judgingTaskOf(await engine.corpora.get(params.corpus), params);
      const judgedPairs: JudgedPair[] = [];
      const report = await judgementService.judge(
        judgingTask,
        judge,
        (pair) => {
          judgedPairs.push(pair);
          context.report({ type: 'judgement', pair });
        },
        { ...workOf(context), budget: new Budget(params.budget) },
      );
      await forReview(engine, () =>
        review.noticed(params.corpus, params.query, judge, noticedOf(judgingTask, judgedPairs)),
      );
      return reportView(report);
    },

    async generatePerspectives({ judge, query, count, passages: shown }, { signal }) {
      const { model, timeoutMs } = engine.current.judges.chatModel(judge);
      const options = { count, timeoutMs, signal };
      if (!shown) {
        const suggestions = await generatePerspectives(model, query, options);
        return { perspectives: suggestions.map((each) => ({ ...each, passages: [] })) };
      }
      const index = await engine.corpora.indexed(shown.corpus);
      const passages = await mostDiverseFirst(index, shown.slots, { signal });
      const texts = passages.map(({ text }) => text);
      const suggestions = await suggestPerspectives(model, query, texts, options);
      return { perspectives: suggestions.map((each) => withPassages(each, passages)) };
    },

    async proposeStances({ judge, query, perspectives }, { signal }) {
      const { judges, generations } = engine.current;
      const { model, timeoutMs } = judges.chatModel(judge);
      const stances = await proposeStances(model, generations, query, perspectives, { timeoutMs, signal });
      return { stances, model: model.label };
    },

    async label(params) {
      const { judgementService, remembering } = engine.current;
      const { corpus, slot, query, perspective, verdict, by } = params;
      const index = await engine.corpora.get(corpus);
      const [passage] = index.passages([slot]);
      if (!passage)
        throw new ParallaxError(
          'not-found',
          l10n.t('This passage is no longer in the corpus. Search again.'),
        );
      const judge = params.judge === undefined ? undefined : remembering(params.judge);
      const pair = { query, passage, perspective, split: index.ref.config.split.type };
      // The judge's answer is shown beside the passage, so the person has seen it.
      const informed = judge !== undefined && judgementService.remembered(pair, judge) !== undefined;
      await judgementService.label(pair, { verdict, by, standard: judge?.standard, informed });
      return {};
    },

    async labelAsAgent({ corpus, query, perspectives, by, labels }, context) {
      const { judgementService } = engine.current;
      const index = await engine.corpora.get(corpus);
      await index.fetchPassages(
        labels.map(({ passageId }) => passageId),
        workOf(context),
      );
      const split = index.ref.config.split.type;
      const refused: Result<'labelAsAgent'>['refused'][number][] = [];
      for (const { passageId, perspectiveId, verdict, quote } of labels) {
        const passage = index.passageById(passageId);
        const perspective = perspectives.find(({ id }) => id === perspectiveId);
        const why = refusalOf({ passage, perspective, verdict, quote });
        if (why) refused.push({ passageId, perspectiveId, why });
        else
          await judgementService.labelAsAgent(
            { query, passage: passage!, perspective: perspective!, split },
            { verdict, by, quote: verdict === 'yes' ? quote : undefined },
          );
      }
      return { given: labels.length - refused.length, refused };
    },
  } satisfies Partial<Handlers>;
}

function refusalOf({
  passage,
  perspective,
  verdict,
  quote,
}: {
  readonly passage: StoredPassage | undefined;
  readonly perspective: Perspective | undefined;
  readonly verdict: Verdict;
  readonly quote: string | undefined;
}): RefusedLabel | undefined {
  if (!passage) return 'no-passage';
  if (!perspective) return 'no-perspective';
  if (verdict !== 'yes') return undefined;
  const quoted = squeeze(quote ?? '').text;
  if (quoted.length < SHORTEST_QUOTE) return 'no-quotation';
  return squeeze(passage.text).text.includes(quoted) ? undefined : 'not-in-passage';
}

function workloadOf(pairs: readonly { readonly passage: StoredPassage }[]): Workload {
  const passages = new Set(pairs.map(({ passage }) => passage));
  const characters = [...passages].reduce((sum, { text }) => sum + text.length, 0);
  const passageLength = characters / Math.max(1, passages.size);
  return { pairs: pairs.length, passages: passages.size, passageLength };
}

/** @param passages in the order in which the model saw them */
function withPassages(
  { name, text, passages: places }: SuggestedPerspective,
  passages: readonly StoredPassage[],
): Result<'generatePerspectives'>['perspectives'][number] {
  const shown = places.map((place) => passages[place]!);
  const names = passageNames(shown);
  return { name, text, passages: shown.map(({ id }, place) => ({ passageId: id, name: names[place]! })) };
}

function judgingTaskOf(index: CorpusIndex, { query, perspectives, slots }: Params<'judge'>): JudgingTask {
  return { query, perspectives, passages: index.passages(slots), index };
}

/** A report in the form of the protocol. */
export function reportView(report: ReadReport): Result<'judge'> {
  const { asked, answered, cached, unparsable, unreadableReason, failed, escalated, error } = report;
  return {
    asked,
    answered: answered - unparsable,
    cached,
    unparsable,
    ...(unreadableReason === undefined ? {} : { unreadableReason }),
    failed,
    escalated,
    ...(error ? { error: error.message, errorId: error.id } : {}),
  };
}

/** Judgements for the review queue. */
export function noticedOf({ passages, perspectives }: JudgingTask, pairs: readonly JudgedPair[]): Noticed[] {
  const bySlot = new Map(passages.map((passage) => [passage.slot, passage]));
  const byId = new Map(perspectives.map((perspective) => [perspective.id, perspective]));
  return pairs.map(({ slot, perspectiveId, judgement }) => ({
    passage: bySlot.get(slot)!,
    perspective: byId.get(perspectiveId)!,
    judgement,
  }));
}

/**
 * @param passages texts, the most different first; as many as fit are shown
 * @returns between 1 and `count` perspectives, with indexes of passages
 * @throws ParallaxError as {@link ChatModel.complete}, and `model-answer` if the answer contains none
 */
async function suggestPerspectives(
  model: ChatModel,
  question: string,
  passages: readonly string[],
  { count, timeoutMs, signal }: GenerateOptions & { readonly count: number },
): Promise<readonly SuggestedPerspective[]> {
  const shown = passagesToShow(passages);
  const { text, incomplete } = await model.complete(suggestPrompt(question, shown, count), {
    signal,
    timeoutMs,
    form: WRITTEN_FORM,
  });
  const suggestions = parseSuggested(text, shown.length, count);
  if (!('unparsable' in suggestions)) return suggestions;
  throw new ParallaxError(
    'model-answer',
    l10n.t`${model.label} proposed no perspectives. ${incomplete ?? suggestions.reason} Try again, or type them yourself.`,
  );
}
