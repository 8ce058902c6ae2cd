/** Answers what pipelines ask of models, judges and files. */
import { WRITTEN_FORM } from '../../core/judging/answer-form.ts';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { messageOf, ParallaxError } from '../../core/errors.ts';
import {
  hydePrompt,
  parsePassage,
  parseSplit,
  query2docPrompt,
  REWRITE_PROMPT_VERSION,
  splitPrompt,
  type Place,
  type SplitQuery,
} from '../../core/expansion/prompts.ts';
import { passagesOf, rewrittenQuery, type SearchedText } from '../../core/expansion/rewrite.ts';
import { parseProposedPerspectives } from '../../core/formats/proposed-perspectives.ts';
import { GENERATE_PROMPT_VERSION } from '../../core/judging/generate.ts';
import type { Perspective, Verdict } from '../../core/model.ts';
import { searchesByVector, type RetrieverSpec, type RewriteSpec } from '../../core/pipeline.ts';
import { errorRates } from '../../features/validation/core/error-rates.ts';
import {
  measuredCorrelation,
  type MeasuredCorrelation,
} from '../../features/validation/core/joint-errors.ts';
import { requireInside, type Boundary } from '../files/boundary.ts';
import { readText } from '../files/reading.ts';
import { generatePerspectives } from '../generation/generate-perspectives.ts';
import type { GenerationCache } from '../generation/generation-cache.ts';
import type { JudgementService, NeighbourLookup } from '../judgements/judgement-service.ts';
import type { ValidationsFile } from '../judgements/validations-file.ts';
import type { Judges } from '../judges/judges.ts';
import type { Slot, StoredPassage, WorkOptions } from '../types.ts';
import type { JudgeFacts, PipelineQuery, PipelineServices } from './pipeline-services.ts';
import type { PerspectivesFrom } from '../../core/rerank/rerankers.ts';

export interface EngineServicesParts {
  readonly judges: Judges;
  readonly judgementService: JudgementService;
  readonly validations: ValidationsFile;
  readonly generations: GenerationCache;
  /** The judge whose model writes if a pipeline names none. */
  readonly generator: string | undefined;
  /** The base of relative paths. */
  readonly base: string;
  /** The boundary that files named by a pipeline must stay within. */
  readonly boundary?: Boundary;
  /** The corpus to search. */
  readonly index: NeighbourLookup & { passages(slots: readonly Slot[]): StoredPassage[] };
}

export class EngineServices implements PipelineServices {
  readonly #parts: EngineServicesParts;
  readonly #files = new Map<string, Promise<ReadonlyMap<string, readonly string[]>>>();

  constructor(parts: EngineServicesParts) {
    this.#parts = parts;
  }

  async propose(query: string, from: PerspectivesFrom, work: WorkOptions): Promise<readonly string[]> {
    if (from.perspectives === 'file') return this.#fromFile(query, from.file ?? '');
    const { model, timeoutMs } = this.#model(from.model);
    const { count } = from;
    return this.#parts.generations.get(`${GENERATE_PROMPT_VERSION} ${count} ${model.id}`, query, async () =>
      (await generatePerspectives(model, query, { ...work, count, timeoutMs })).map(({ text }) => text),
    );
  }

  async rewrite(
    query: string,
    form: RewriteSpec,
    retriever: RetrieverSpec,
    work: WorkOptions,
  ): Promise<SearchedText> {
    const count = passagesOf(form);
    const places = Array.from({ length: count }, (_, index) => ({ number: index + 1, of: count }));
    const passages = await Promise.all(
      places.map((place) => this.#passage(query, form, count === 1 ? undefined : place, work)),
    );
    return rewrittenQuery(query, passages, form, !searchesByVector(retriever));
  }

  /** @param place undefined if a query has one passage */
  async #passage(
    query: string,
    { type, model: modelName }: RewriteSpec,
    place: Place | undefined,
    { signal, onRequest }: WorkOptions,
  ): Promise<string> {
    const { model, timeoutMs } = this.#model(modelName);
    // HyDE has its own passages. The other forms share theirs, so that none is paid for twice.
    const kind = type === 'hyde' ? type : 'query2doc';
    const which = place ? ` ${place.number} of ${place.of}` : '';
    const [passage = ''] = await this.#parts.generations.get(
      `${REWRITE_PROMPT_VERSION} ${kind}${which} ${model.id}`,
      query,
      async () => {
        const prompt = kind === 'hyde' ? hydePrompt(query, place) : query2docPrompt(query, place);
        const { text } = await model.complete(prompt, { signal, onRequest, timeoutMs, form: WRITTEN_FORM });
        const parsed = parsePassage(text);
        if (typeof parsed === 'string') return [parsed];
        throw new ParallaxError('model-answer', l10n.t`${model.label}: ${parsed.reason}`);
      },
    );
    return passage;
  }

  async split(
    query: string,
    modelName: string | undefined,
    { signal, onRequest }: WorkOptions,
  ): Promise<SplitQuery> {
    const { model, timeoutMs } = this.#model(modelName);
    const [root = query, perspective] = await this.#parts.generations.get(
      `${REWRITE_PROMPT_VERSION} split ${model.id}`,
      query,
      async () => {
        const { text, incomplete } = await model.complete(splitPrompt(query), {
          signal,
          onRequest,
          timeoutMs,
          form: WRITTEN_FORM,
        });
        const parsed = parseSplit(text);
        if (!('unparsable' in parsed))
          return parsed.perspective === undefined ? [parsed.root] : [parsed.root, parsed.perspective];
        throw new ParallaxError(
          'model-answer',
          l10n.t`${model.label} did not split the query "${query}" into root and perspective: ${incomplete ?? parsed.reason}`,
        );
      },
    );
    return perspective === undefined ? { root } : { root, perspective };
  }

  async verdicts(
    judgeName: string,
    query: PipelineQuery,
    pairs: readonly { slot: Slot; perspective: Perspective }[],
    work: WorkOptions,
    repeat = 1,
  ): Promise<readonly (Verdict | undefined)[]> {
    const { judgementService, judges, index } = this.#parts;
    const judge = (repeat === 1 ? judges : judges.repeated(repeat)).get(judgeName);
    const judgingTask = {
      query,
      // The other perspectives of a passage come with the same request, and may be needed next.
      perspectives: judge?.byPassage
        ? query.perspectives
        : [...new Set(pairs.map(({ perspective }) => perspective))],
      passages: index.passages([...new Set(pairs.map(({ slot }) => slot))]),
      index,
    };
    const verdicts = new Map<string, Verdict>();
    const learn = (slot: Slot, perspectiveId: string, verdict: Verdict): void =>
      void verdicts.set(`${slot} ${perspectiveId}`, verdict);
    for (const { slot, perspectiveId, judgement } of await judgementService.known(judgingTask, judge))
      learn(slot, perspectiveId, judgement.verdict);
    if (judge)
      await judgementService.judge(
        judgingTask,
        judge,
        ({ slot, perspectiveId, judgement }) => learn(slot, perspectiveId, judgement.verdict),
        work,
      );
    return pairs.map(({ slot, perspective }) => verdicts.get(`${slot} ${perspective.id}`));
  }

  async judgeFacts(judgeName: string, { perspectives }: PipelineQuery): Promise<JudgeFacts> {
    const { judges, validations } = this.#parts;
    const judge = judges.get(judgeName);
    const line = judge && (await validations.of(judge.key));
    return {
      key: judge?.key,
      byPassage: judge?.byPassage ?? false,
      isSampled: judges.isSampled(judgeName),
      errors:
        line &&
        errorRates(
          line,
          perspectives.map(({ text }) => text),
        ),
    };
  }

  async measuredCorrelation(
    keys: readonly [string, string],
    { perspectives }: PipelineQuery,
  ): Promise<MeasuredCorrelation | undefined> {
    const line = await this.#parts.validations.together(keys);
    return (
      line &&
      measuredCorrelation(
        line,
        perspectives.map(({ text }) => text),
      )
    );
  }

  texts(slots: readonly Slot[]): readonly string[] {
    return this.#parts.index.passages(slots).map(({ text }) => text);
  }

  #model(name: string | undefined): ReturnType<Judges['chatModel']> {
    const { judges, generator } = this.#parts;
    const modelName = name ?? generator;
    if (modelName === undefined)
      throw new ParallaxError(
        'model-missing',
        l10n.t('This pipeline needs a model that writes: set "generator" in parallax.json.'),
      );
    return judges.chatModel(modelName);
  }

  async #fromFile(query: string, file: string): Promise<readonly string[]> {
    const place = path.resolve(this.#parts.base, file);
    await requireInside(this.#parts.boundary, place);
    const reading = this.#files.get(place) ?? readProposed(place);
    this.#files.set(place, reading);
    const perspectives = (await reading).get(query.trim());
    if (!perspectives)
      throw new ParallaxError(
        'not-found',
        l10n.t`${file} has no proposed perspectives for the question "${query}".`,
      );
    return perspectives;
  }
}

async function readProposed(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await readText(file).catch((error: unknown) => {
    throw new ParallaxError('not-found', l10n.t`Cannot read ${file}: ${messageOf(error)}.`, { cause: error });
  });
  return parseProposedPerspectives(text).byQuestion;
}
