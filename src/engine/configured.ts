/** The parts of a configured engine. Some of them are kept when the configuration changes. */
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ANSWERS_FILE, type EngineConfig } from '../shared/requests/configuration.ts';
import { LazyAnswers } from '../features/papers/engine/door.ts';
import { EvalSetBuilding } from '../features/building/engine/eval-set-building.ts';
import type { CorpusIndex } from './corpora/corpus-index.ts';
import { Embedders } from './embedders/embedders.ts';
import type { Endpoint } from './embedders/openai-embedder.ts';
import { Comparisons } from '../features/compare/engine/comparisons.ts';
import { Experiments } from './experiment/experiments.ts';
import { ExternalRetrievers } from './external/external-retrievers.ts';
import { boundaryOf } from './files/boundary.ts';
import { Evaluations } from '../features/gate/engine/evaluations.ts';
import { Claims } from './judgements/claims.ts';
import { GenerationCache } from './generation/generation-cache.ts';
import { countingJudge, type Judge } from './judges/judge.ts';
import { JudgementCache } from './judgements/judgement-cache.ts';
import { salvageAnswers } from './judgements/salvage.ts';
import { JudgementService } from './judgements/judgement-service.ts';
import { Judges } from './judges/judges.ts';
import { LabelsFile } from './judgements/labels-file.ts';
import { ValidationsFile } from './judgements/validations-file.ts';
import { NliModels } from './models/nli-models.ts';
import { PaidReplies } from './models/paid-replies.ts';
import { VectorCache } from './models/vector-cache.ts';
import { Probes } from '../features/look-deeper/engine/probes.ts';
import { CrossEncoders } from './rerankers/cross-encoders.ts';
import { EngineServices } from './retrieval/engine-services.ts';
import { ReviewQueue } from '../features/review/engine/review-queue.ts';
import { Review } from '../features/review/engine/review.ts';
import type { HostCalls } from './host-calls.ts';
import type { Database } from './store/database.ts';
import { openOrBeginAnew } from './store/open-or-anew.ts';
import { makeFolder } from './store/usable-folder.ts';

export interface Configured {
  readonly config: EngineConfig;
  readonly database: Database;
  /** Answers of models. May be the same database. */
  readonly answered: Database;
  /** In that database. */
  readonly claims: Claims | undefined;
  readonly judgementService: JudgementService;
  readonly judges: Judges;
  readonly validations: ValidationsFile;
  readonly experiments: Experiments;
  readonly comparisons: Comparisons;
  readonly evaluations: Evaluations;
  readonly review: Review;
  readonly answers: LazyAnswers;
  readonly building: EvalSetBuilding;
  readonly generations: GenerationCache;
  readonly probes: Probes;
  readonly replies: PaidReplies;
  readonly embedders: Embedders;
  readonly crossEncoders: CrossEncoders;
  readonly externals: ExternalRetrievers;
  readonly nliModels: NliModels;
  /** The models and judges that pipelines need on a corpus. */
  readonly servicesOf: (index: CorpusIndex) => EngineServices;
  /**
   * The judge whose stored answers count. `undefined` for a judge that guesses, and for judges of an untrusted
   * workspace, so that only people's labels count.
   *
   * @throws ParallaxError as `Judges.get`
   */
  readonly remembering: (name: string) => Judge | undefined;
}

/** What the parts of a configuration need from the engine. */
export interface EngineContext {
  readonly host: HostCalls | undefined;
  readonly log: (message: string) => void;
  /** @throws ParallaxError `not-found`, `not-indexed`; `cancelled` if the name now belongs to another corpus */
  openIndexed(corpus: string): Promise<CorpusIndex>;
}

/** Creates the parts of a configuration. Takes over models and databases of `former` that did not change. */
export async function configure(
  config: EngineConfig,
  former: Configured | undefined,
  { host, log, openIndexed }: EngineContext,
): Promise<Configured> {
  const { storage, answers: answersIn = storage } = config;
  const database = former?.config.storage === storage ? former.database : await openStorage(storage, log);
  const answered = await answersOf(config, database, former, log);
  const claims = former?.answered === answered ? former.claims : claimsOf(answersIn, answered);
  const cache = new JudgementCache(answered, claims);
  const labels = new LabelsFile(config.labelsFile, log, config);
  const validations = new ValidationsFile(config.labelsFile, config);
  const judgementService = new JudgementService(labels, cache);
  const keptModels = former && keepsModels(former.config, config) ? former : undefined;
  const nliModels = former && keepsNli(former.config, config) ? former.nliModels : new NliModels(config);
  const embedders = keptModels?.embedders ?? new Embedders(config, vectorsOf(config, answered));
  const judges = new Judges(config, cache, host, { labels, nliModels });
  const replies = new PaidReplies(cache.replies);
  const generations = new GenerationCache(answered);
  const probes = new Probes(database);
  const servicesOf = (index: CorpusIndex): EngineServices =>
    new EngineServices({
      judges,
      judgementService,
      validations,
      generations,
      generator: config.generator,
      base: config.base,
      boundary: boundaryOf(config),
      index,
    });
  const remembering = (name: string): Judge | undefined =>
    config.trusted || judges.has(name) ? countingJudge(judges.get(name)) : undefined;
  const experiments = new Experiments({
    config,
    database,
    judgementService,
    judges,
    embedders,
    probes,
    openIndexed,
    servicesOf,
    log,
  });
  const comparisons = new Comparisons({ config, database, judges, experiments, log });
  const review = new Review({
    labels,
    judgementService,
    cache,
    judges,
    comparisons,
    openIndexed,
    queue: new ReviewQueue(database, log),
    judgeOf: remembering,
  });
  return {
    config,
    database,
    answered,
    claims,
    judgementService,
    judges,
    validations,
    experiments,
    comparisons,
    review,
    embedders,
    nliModels,
    replies,
    evaluations: new Evaluations({
      config,
      database,
      judges,
      experiments,
      labels,
      log,
      judgeOf: remembering,
      judgementService,
    }),
    answers: new LazyAnswers({ config, judges, replies, experiments }),
    building: new EvalSetBuilding({ judges, review, replies, openIndexed, servicesOf }),
    generations,
    probes,
    servicesOf,
    remembering,
    crossEncoders: keptModels?.crossEncoders ?? new CrossEncoders(config),
    externals: keptModels?.externals ?? new ExternalRetrievers(config, (name) => embedders.get(name)),
  };
}

/**
 * Closes what a configuration had open. Its corpora must be closed before.
 *
 * @param next the next configuration; what it took over stays open
 */
export async function dispose(former: Configured, next?: Configured): Promise<void> {
  if (former.claims !== next?.claims) former.claims?.close();
  const survivors = new Set([next?.database, next?.answered]);
  for (const database of new Set([former.database, former.answered]))
    if (!survivors.has(database)) database.close();
  for (const part of ['embedders', 'crossEncoders', 'externals', 'nliModels'] as const)
    if (former[part] !== next?.[part]) await former[part].dispose();
}

/** Whether everything that models and retrievers depend on is unchanged. */
export function keepsModels(former: EngineConfig, config: EngineConfig): boolean {
  const shared = (one: EngineConfig): string => {
    const { base, trusted, embedders, keys, approximateAbove, keptVectors: which } = one;
    const cache = which && [which, one.storage, one.answers];
    return JSON.stringify([base, trusted, embedders, keys, approximateAbove, cache]);
  };
  return shared(former) === shared(config);
}

function keepsNli(former: EngineConfig, config: EngineConfig): boolean {
  const shared = ({ base, trusted, judges }: EngineConfig): string =>
    JSON.stringify([base, trusted, Object.values(judges).filter(({ type }) => type === 'nli')]);
  return shared(former) === shared(config);
}

function vectorsOf({ keptVectors }: EngineConfig, answered: Database): Endpoint['kept'] {
  return keptVectors && { cache: new VectorCache(answered), passages: keptVectors === 'all' };
}

/** A database in memory is not shared, and needs no claims. */
function claimsOf(folder: string, database: Database): Claims | undefined {
  return folder === ':memory:' ? undefined : new Claims(database, folder);
}

/** State that belongs to no single corpus: judgements, replies of models, comparisons. */
async function openStorage(folder: string, log: EngineContext['log']): Promise<Database> {
  if (folder === ':memory:') return openOrBeginAnew(folder, log);
  await makeFolder(folder);
  return openOrBeginAnew(path.join(folder, ANSWERS_FILE), log, savedAnswers);
}

function savedAnswers(damaged: Database, database: Database): string {
  // Their constructors create the tables.
  new JudgementCache(database);
  new GenerationCache(database);
  const saved = salvageAnswers(damaged, database);
  return l10n.t`Model answers that could still be read: ${saved}. They are in the new file.`;
}

/** @param database of the storage */
async function answersOf(
  { storage, answers }: EngineConfig,
  database: Database,
  former: Configured | undefined,
  log: EngineContext['log'],
): Promise<Database> {
  if (answers === undefined || answers === storage) return database;
  return former?.config.answers === answers ? former.answered : openStorage(answers, log);
}
