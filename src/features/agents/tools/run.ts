/** Converts the input of an agent to pipelines and questions for the engine. */
import * as l10n from '@vscode/l10n';
import type { Perspective } from '../../../core/model.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type Pipeline } from '../../../core/pipeline.ts';
import { pipelineLabel } from '../../../core/pipeline-label.ts';
import { missingCorpusText } from '../../../core/pipeline-needs.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { findEvalQuery, plainQuery } from '../../../shared/eval-query.ts';
import type { Params } from '../../../shared/rpc.ts';
import { findEvalSet, siteName } from '../../../sites/plan.ts';
import { isRebuilt, rebuild, type Origin } from '../../../sites/rebuild.ts';
import type { AgentHost, AgentWorkspace } from './host.ts';
import { pipelineReaches } from './reaches.ts';
import { siteAt, type ListedSite } from './sites.ts';
import type { EvaluateInput, MissingInput } from './tools.ts';

type Queries = Params<'compare'>['datasets'][number]['queries'];

export interface AskedPipeline {
  readonly name: string;
  readonly pipeline: Pipeline;
  /** The source of a pipeline that was derived from a call in the code. `undefined` for one that was named or given. */
  readonly origin: Origin | undefined;
}

/** A measurement to run. */
export interface Run {
  readonly corpus: string;
  /** Path of the eval set. `undefined` for questions of the agent. */
  readonly evalSet: string | undefined;
  readonly queries: Queries;
  /** The first is the baseline. */
  readonly pipelines: readonly AskedPipeline[];
  readonly k: number;
  /** Whether the judge may be asked about unjudged pairs. */
  readonly judge: boolean;
  /** Differences, or possible differences, from what was requested, as sentences. */
  readonly notes: readonly string[];
}

export type Wanted = Pick<
  EvaluateInput,
  'corpus' | 'evalSet' | 'queries' | 'pipelines' | 'baseline' | 'site' | 'k' | 'judge'
>;

/** With more pipelines than this, the agent must name them. */
const MAX_PIPELINES = 8;

/** @throws ParallaxError `bad-argument`, `bad-pipeline` and `not-found` for invalid input */
export async function planRun(
  request: Wanted,
  host: AgentHost,
  workspace: AgentWorkspace,
  signal: AbortSignal | undefined,
): Promise<Run> {
  const located = request.site && (await siteAt(request.site, host, workspace, signal));
  const site = located && sitePipeline(located, workspace.config);
  const named = request.pipelines?.map((each) => pipelineOf(each, workspace.config));
  const pipelines = [
    ...(request.baseline === undefined ? [] : [asBaseline(pipelineOf(request.baseline, workspace.config))]),
    ...(site ? [site.asked] : []),
    ...(named ?? (site ? [] : ownPipelines(workspace.config))),
  ];
  const { queries, evalSet, notes } = questionsOf(request, located?.site.comment?.eval, workspace);
  return {
    corpus: corpusOf(request.corpus, workspace.config),
    evalSet,
    queries,
    pipelines,
    k: request.k ?? pipelines[0]!.pipeline.k,
    judge: request.judge ?? false,
    notes: [...(site?.notes ?? []), ...notes],
  };
}

/**
 * One question under one pipeline. Defaults to the first pipeline of the workspace if neither a pipeline nor a call is
 * named.
 *
 * @throws ParallaxError like {@link planRun}
 */
export async function planQuestion(
  { query, perspectives, corpus, pipeline, site, k }: AskedQuestion,
  host: AgentHost,
  workspace: AgentWorkspace,
  signal: AbortSignal | undefined,
): Promise<Run> {
  if (pipeline !== undefined && site) throw eitherPipelineOrSite();
  const { config } = workspace;
  const located = site && (await siteAt(site, host, workspace, signal));
  const atSite = located && sitePipeline(located, config);
  const named = pipeline === undefined ? ownPipelines(config)[0]! : pipelineOf(pipeline, config);
  const runPipeline = atSite?.asked ?? named;
  return {
    corpus: corpusOf(corpus, config),
    evalSet: undefined,
    queries: [askedQuery({ text: query, perspectives }, workspace)],
    pipelines: [runPipeline],
    k: k ?? runPipeline.pipeline.k,
    judge: false,
    notes: atSite?.notes ?? [],
  };
}

export type AskedQuestion = Pick<MissingInput, 'query' | 'corpus' | 'pipeline' | 'site' | 'k'> & {
  readonly perspectives?: readonly string[] | undefined;
};

export function eitherPipelineOrSite(): ParallaxError {
  return new ParallaxError('bad-argument', l10n.t('Give either pipeline or site, not both.'));
}

/** A question with the given perspectives, else with those of the eval sets. */
export function askedQuery(
  { text, perspectives }: { readonly text: string; readonly perspectives?: readonly string[] | undefined },
  { evalQueries }: Pick<AgentWorkspace, 'evalQueries'>,
): Queries[number] {
  const known = findEvalQuery(evalQueries, text);
  if (perspectives) return { id: known?.id ?? UNKNOWN, text, perspectives: typed(perspectives) };
  return known ? plainQuery(known) : { id: UNKNOWN, text, perspectives: [] };
}

/** A question in requests. One that no eval set contains is identified by its text. */
export function namedQuery({ id, text }: Pick<Queries[number], 'id' | 'text'>): {
  readonly id?: string;
  readonly text: string;
} {
  return id === UNKNOWN ? { text } : { id, text };
}

const UNKNOWN = '';

/** The request to the engine. */
export function compareRequest(run: Run, { judge }: AgentWorkspace): Params<'compare'> {
  const evalSet = run.evalSet ?? GIVEN;
  return {
    judge,
    datasets: [{ name: evalSet, corpus: run.corpus, evalSet, queries: run.queries }],
    pipelines: run.pipelines.map(({ name, pipeline }) => ({ name, pipeline })),
    k: run.k,
  };
}

const GIVEN = 'given questions';

function ownPipelines(config: ParallaxConfig): AskedPipeline[] {
  const pipelines = Object.keys(config.pipelines).length > 0 ? config.pipelines : BUILT_IN_PIPELINES;
  return Object.entries(pipelines)
    .slice(0, MAX_PIPELINES)
    .map(([name, pipeline]) => ({ name, pipeline, origin: undefined }));
}

/** Renamed so that no other pipeline has the same name. */
function asBaseline(pipeline: AskedPipeline): AskedPipeline {
  return { ...pipeline, name: `before: ${pipeline.name}` };
}

function pipelineOf(reference: string | object, config: ParallaxConfig): AskedPipeline {
  if (typeof reference !== 'string') {
    const pipeline = parsePipeline(reference);
    checkForeign(pipeline, config);
    return { name: pipeline.name ?? pipelineLabel(pipeline), pipeline, origin: undefined };
  }
  const known: Record<string, Pipeline> = { ...BUILT_IN_PIPELINES, ...config.pipelines };
  const pipeline = Object.hasOwn(known, reference) ? known[reference] : undefined;
  if (pipeline) return { name: reference, pipeline, origin: undefined };
  throw notFound('pipeline', reference, Object.keys(known));
}

/**
 * An agent reads foreign texts, so its pipelines may use only commands, endpoints, stores and files that
 * `parallax.json` names.
 *
 * @throws ParallaxError `bad-pipeline`
 */
function checkForeign(pipeline: Pipeline, { pipelines }: ParallaxConfig): void {
  const allowed = new Set(Object.values(pipelines).flatMap(pipelineReaches));
  if (pipelineReaches(pipeline).every((reach) => allowed.has(reach))) return;
  throw new ParallaxError(
    'bad-pipeline',
    l10n.t(
      'Pipeline: an agent may use commands, endpoints, stores and files only through a pipeline of parallax.json. Name that pipeline, or add one to parallax.json.',
    ),
  );
}

function sitePipeline(
  { site, file }: ListedSite,
  config: ParallaxConfig,
): { readonly asked: AskedPipeline; readonly notes: readonly string[] } {
  const rebuilt = rebuild(site, file, config);
  if (!isRebuilt(rebuilt)) throw new ParallaxError('bad-argument', rebuilt.message);
  const { pipeline, origin, caveats } = rebuilt;
  return { asked: { name: siteName(site, rebuilt), pipeline, origin }, notes: caveats };
}

function questionsOf(
  { queries, evalSet }: Wanted,
  commented: string | undefined,
  { evalQueries }: AgentWorkspace,
): Pick<Run, 'queries' | 'evalSet' | 'notes'> {
  if (queries && evalSet !== undefined)
    throw new ParallaxError('bad-argument', l10n.t('Give either evalSet or queries, not both.'));
  if (queries) {
    const runQueries = queries.map(({ text, perspectives }, place) => ({
      id: `q${place + 1}`,
      text,
      perspectives: perspectives ? typed(perspectives) : [...perspectivesOf(text, evalQueries)],
    }));
    return { queries: runQueries, evalSet: undefined, notes: [] };
  }
  const sets = [...new Set(evalQueries.map((query) => query.evalSet))];
  const setName = evalSet ?? commented;
  const match = setName === undefined ? sets[0] : findEvalSet(sets, setName);
  if (match === undefined)
    throw setName === undefined
      ? new ParallaxError(
          'not-found',
          l10n.t(
            'There is no eval set: name one under evalSets in parallax.json, or give questions with perspectives.',
          ),
        )
      : notFound('eval set', setName, sets);
  return {
    evalSet: match,
    queries: evalQueries.filter((query) => query.evalSet === match).map(plainQuery),
    notes:
      setName === undefined && sets.length > 1
        ? [`Asked on the first of ${sets.length} eval sets: ${shownNames(sets)}.`]
        : [],
  };
}

function perspectivesOf(text: string, evalQueries: AgentWorkspace['evalQueries']): readonly Perspective[] {
  const known = findEvalQuery(evalQueries, text);
  if (known && known.perspectives.length > 0) return known.perspectives;
  throw new ParallaxError(
    'bad-argument',
    l10n.t`No eval set has the perspectives that an answer to "${text.slice(0, 100)}" must cover. Pass them with the question.`,
  );
}

function typed(perspectives: readonly string[]): Perspective[] {
  return perspectives.map((text, place) => ({ id: `p${place + 1}`, text }));
}

export function corpusOf(choice: string | undefined, config: ParallaxConfig): string {
  const { corpus, corpora } = config;
  const names = Object.keys(corpora);
  const name = choice ?? corpus ?? names[0];
  if (name === undefined) throw new ParallaxError('not-found', missingCorpusText(config));
  if (names.includes(name)) return name;
  throw notFound('corpus', name, names);
}

function notFound(
  what: 'pipeline' | 'eval set' | 'corpus',
  reference: string,
  known: readonly string[],
): ParallaxError {
  const name = reference.slice(0, 100);
  const names = shownNames(known);
  const sentences: Record<typeof what, string> = {
    pipeline: l10n.t`There is no pipeline "${name}". Available: ${names}.`,
    'eval set': l10n.t`There is no eval set "${name}". Available: ${names}.`,
    corpus: l10n.t`There is no corpus "${name}". Available: ${names}.`,
  };
  return new ParallaxError('not-found', sentences[what]);
}

const MAX_NAMES = 12;

function shownNames(names: readonly string[]): string {
  if (names.length === 0) return l10n.t('none');
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? l10n.t`${shown} and ${names.length - MAX_NAMES} more` : shown;
}
