/**
 * Ties captured retrievals to call sites and computes the figures of a call from its retrievals. A retrieval that could
 * belong to several calls is not tied. Pure.
 */
import { meanFigures, runFigures, type MeanFigures, type RunFigures } from '../../capture/core/figures.ts';
import { questionKey } from '../../../core/text/question.ts';
import { sourcesOf, type CapturedRun } from '../../capture/contract/captured.ts';
import type { CallSite } from '../../../sites/model.ts';

/** A call site of an open document. */
export interface OpenSite {
  readonly key: string;
  /** Absolute path. `undefined` for notebook cells and unsaved documents. */
  readonly path: string | undefined;
  readonly language: string;
  readonly site: Pick<CallSite, 'library' | 'callee' | 'within' | 'matching'>;
  /** Line ranges, from 1, of the statement and of every use of the retriever. */
  readonly lines: readonly { readonly first: number; readonly last: number }[];
  /**
   * The name that the call is bound to, see `capturedName`. `undefined` for calls that are not bound to captured runs.
   */
  readonly bound: string | undefined;
  /** See {@link askedBy}. `undefined` while the text around the call does not parse. */
  readonly asked: string | undefined;
}

/** The call of a retrieval, and the call's request when the retrieval was tied to it. */
export interface FirstTie {
  readonly key: string;
  readonly asked: string;
}

/**
 * Maps the ids of retrievals to the keys of their calls, by the first of these that finds one call:
 * - the call in which a running program was observed
 * - the call it was tied to before, if its span names a place in the code, because lines move as the program is edited
 * - the call that is bound to it by name
 * - the call at the place that the span names
 * - the only call that is bound to any captured retrieval
 * - the only call of the instrumented library, or of the function that names the span, if the span names no place
 *
 * @param former the previous result
 */
export function tieRuns(
  runs: readonly CapturedRun[],
  sites: readonly OpenSite[],
  former: ReadonlyMap<string, string>,
): Map<string, string> {
  const keys = new Set(sites.map(({ key }) => key));
  const rivals = rivalRuns(runs);
  const ties = new Map<string, string>();
  for (const run of runs) {
    const observed = run.live && keys.has(run.live.site) ? run.live.site : undefined;
    const before = observed ?? (run.code && former.get(run.id));
    const key = before !== undefined && keys.has(before) ? before : siteOf(run, sites, rivals);
    if (key !== undefined) ties.set(run.id, key);
  }
  return ties;
}

/** The request of a call as text. Unchanged if only the call's place or layout changes. */
export function askedBy(site: CallSite, statement: string): string {
  const { k, pool, mmr, hybridDense, rerank, embedModel, index, filtered } = site;
  const fields = [k, pool, mmr?.own, hybridDense, rerank?.model, rerank?.topN, embedModel, index];
  const text = statement.replaceAll(/\s/gu, '').replaceAll(/,(?=[)\]}])/gu, '');
  return JSON.stringify([text, fields.map((field) => field?.value), filtered]);
}

/** @param statement its text. `undefined` if only what was read of the call is known */
export function asksTheSame(asked: string, site: CallSite, statement: string | undefined): boolean {
  if (statement !== undefined) return asked === askedBy(site, statement);
  const [, ...fields] = JSON.parse(asked) as unknown[];
  const [, ...now] = JSON.parse(askedBy(site, '')) as unknown[];
  return JSON.stringify(fields) === JSON.stringify(now);
}

/**
 * The calls of retrievals, with their requests when the retrievals were tied to them. They outlive the ties, which end
 * when the document is closed.
 *
 * @param former the previous result
 */
export function firstTies(
  runs: readonly CapturedRun[],
  ties: ReadonlyMap<string, string>,
  sites: readonly OpenSite[],
  former: ReadonlyMap<string, FirstTie>,
): Map<string, FirstTie> {
  const fingerprints = askedByKey(sites);
  const first = new Map<string, FirstTie>();
  for (const { id } of runs) {
    const [key, before] = [ties.get(id), former.get(id)];
    const now = key === undefined ? undefined : fingerprints.get(key);
    const tie = key === undefined || now === undefined || before?.key === key ? before : { key, asked: now };
    if (tie) first.set(id, tie);
  }
  return first;
}

/** The ids of the retrievals whose call has another request than when they were tied to it. */
export function outdatedRuns(sites: readonly OpenSite[], first: ReadonlyMap<string, FirstTie>): Set<string> {
  const fingerprints = askedByKey(sites);
  const isOutdated = ({ key, asked: then }: FirstTie): boolean => (fingerprints.get(key) ?? then) !== then;
  return new Set([...first].filter(([, tie]) => isOutdated(tie)).map(([id]) => id));
}

function askedByKey(sites: readonly OpenSite[]): ReadonlyMap<string, string | undefined> {
  return new Map(sites.map(({ key, asked }) => [key, asked]));
}

function siteOf(
  run: CapturedRun,
  sites: readonly OpenSite[],
  rivals: ReadonlySet<string>,
): string | undefined {
  const named = onlyOne(sites.filter(({ bound }) => bound !== undefined && isNamed(run, bound)));
  if (named !== undefined) return named;
  const apt = sites.filter(({ site }) => (site.matching === 'passages') === (run.step === 'reranker'));
  const { code } = run;
  const placed = code && onlyOne(apt.filter((site) => standsAt(site, code)));
  if (placed !== undefined) return placed;
  if (rivals.has(run.id)) return undefined;
  const bound = apt.filter((site) => site.bound === '');
  if (bound.length > 0) return onlyOne(bound);
  if (code) return undefined;
  const free = apt.filter((site) => site.bound === undefined);
  return onlyOne(free.filter((site) => isOfLibrary(site, run.scope) || isCalled(site, run.name)));
}

function onlyOne(sites: readonly OpenSite[]): string | undefined {
  return sites.length === 1 ? sites[0]!.key : undefined;
}

function isNamed({ name, service }: CapturedRun, bound: string): boolean {
  return bound !== '' && (bound === name || bound === service);
}

/** A span that names its file but no line belongs to the only call in that file. */
function standsAt({ path, lines }: OpenSite, { file, line }: NonNullable<CapturedRun['code']>): boolean {
  if (path === undefined || path !== file) return false;
  return line === undefined || lines.some(({ first, last }) => first <= line && line <= last);
}

/**
 * Instrumentations are named after their library: `openinference.instrumentation.llama_index` in Python,
 * `@arizeai/openinference-instrumentation-langchain` in JavaScript.
 */
function isOfLibrary({ site: { library }, language }: OpenSite, scope: string): boolean {
  const named = /instrumentation[.-](?<library>[\w-]{1,80})$/iu.exec(scope)?.groups?.['library'];
  if (named === undefined || scope.startsWith('@') === (language === 'python')) return false;
  return lettersOf(library.replace(/-js$/u, '')) === lettersOf(named);
}

/** Hand-written spans are named after the called function or its caller. */
function isCalled({ site: { callee, within } }: OpenSite, name: string): boolean {
  return name === callee || (within !== '' && name === within);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
}

/**
 * Retrievals of the same trace, question and step: a retriever that queries others, such as an ensemble. Without a
 * place or a name they cannot be matched to a call.
 */
function rivalRuns(runs: readonly CapturedRun[]): Set<string> {
  const together = Map.groupBy(runs, ({ id, query, step }) =>
    JSON.stringify([id.split(':', 1)[0], step, questionKey(query)]),
  );
  return new Set(
    [...together.values()].filter((group) => group.length > 1).flatMap((group) => group.map(({ id }) => id)),
  );
}

/** Figures from the newest captured retrieval of each question of a call. */
export interface SiteCaptured {
  /** The number of distinct questions. */
  readonly queries: number;
  /** Over the questions with known perspectives. `undefined` if there are none. */
  readonly means: MeanFigures | undefined;
  /** Whether the call was edited since one of them, so that the program may retrieve something else now. */
  readonly stale: boolean;
  /** The judges behind the figures. */
  readonly sources: ReturnType<typeof sourcesOf>;
  /** Newest first. */
  readonly runs: readonly {
    readonly id: string;
    readonly query: string;
    /** The number of returned passages. */
    readonly k: number;
    readonly perspectives: number;
    readonly figures: RunFigures | undefined;
  }[];
}

/** The ids of retrievals with known perspectives and unjudged pairs. */
export function openRuns({ runs }: SiteCaptured): string[] {
  return runs.flatMap(({ id, figures }) => (figures && figures.judgedPairs < figures.pairs ? [id] : []));
}

/**
 * @param runs the retrievals of the call, newest first
 * @param k the call's k; the figures are at this k, unless a retrieval returned more passages
 * @param outdated ids, see {@link outdatedRuns}
 */
export function siteCaptured(
  runs: readonly CapturedRun[],
  k: number | undefined,
  outdated: ReadonlySet<string> = new Set(),
): SiteCaptured {
  const newest = new Map<string, CapturedRun>();
  for (const run of runs) {
    const key = questionKey(run.query);
    if (!newest.has(key)) newest.set(key, run);
  }
  const newestRuns = [...newest.values()];
  const fits = k !== undefined && newestRuns.every((run) => run.k <= k);
  const scored = newestRuns.map((run) => ({
    id: run.id,
    query: run.query,
    k: run.k,
    perspectives: run.perspectives.length,
    figures: runFigures(
      { perspectives: run.perspectives.map(({ id }) => id), passages: run.passages },
      fits ? k : run.k,
    ),
  }));
  return {
    queries: newestRuns.length,
    means: meanFigures(scored.flatMap(({ figures }) => figures ?? [])),
    stale: newestRuns.some(({ id }) => outdated.has(id)),
    sources: sourcesOf(newestRuns),
    runs: scored,
  };
}
