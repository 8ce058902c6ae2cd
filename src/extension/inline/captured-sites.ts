/**
 * Which captured retrieval belongs to which call site, and what a call's captured retrievals score. A retrieval that
 * could belong to several calls belongs to none. Pure.
 */
import { meanFigures, runFigures, type MeanFigures, type RunFigures } from '../../core/capture/figures.ts';
import { questionKey } from '../../core/text/question.ts';
import { sourcesOf, type CapturedRun } from '../../shared/capture/captured.ts';
import type { CallSite } from '../../sites/model.ts';

/** A call site of an open document. */
export interface OpenSite {
  readonly key: string;
  /** Absolute path; absent for the cells of notebooks and for what was never saved. */
  readonly path: string | undefined;
  readonly language: string;
  readonly site: Pick<CallSite, 'library' | 'callee' | 'within' | 'matching'>;
  /** From 1: the lines of the statement and of every use of the retriever. */
  readonly lines: readonly { readonly first: number; readonly last: number }[];
  /** The name that the call is bound to, see `capturedName`; absent for calls that are not bound to captured runs. */
  readonly bound: string | undefined;
  /** See {@link askedBy}; absent while the text around the call does not parse. */
  readonly asked: string | undefined;
}

/** A retrieval's call, and what it asked for when the retrieval was tied to it. */
export interface FirstTie {
  readonly key: string;
  readonly asked: string;
}

/**
 * The call of every retrieval that can be told, by the retrieval's id: the one that is bound to it by name; else where
 * the span says that it was called; else the only one that is bound to whatever is captured; else, for spans that do
 * not say where they were called, the only one of the instrumented library. What was tied before by its place stays
 * tied, since lines move as the program is edited.
 *
 * @param former what was returned before
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

/** The request of a call as text: the same as long as only its place and its layout change. */
export function askedBy(site: CallSite, statement: string): string {
  const { k, pool, mmr, hybridDense, rerank, embedModel, index, filtered } = site;
  const fields = [k, pool, mmr?.own, hybridDense, rerank?.model, rerank?.topN, embedModel, index];
  const text = statement.replaceAll(/\s/gu, '').replaceAll(/,(?=[)\]}])/gu, '');
  return JSON.stringify([text, fields.map((field) => field?.value), filtered]);
}

/**
 * The calls of retrievals, with their requests when the retrievals were tied to them. They outlive the tie, which goes
 * while the document is closed.
 *
 * @param former what was returned before
 */
export function firstTies(
  runs: readonly CapturedRun[],
  ties: ReadonlyMap<string, string>,
  sites: readonly OpenSite[],
  former: ReadonlyMap<string, FirstTie>,
): Map<string, FirstTie> {
  const asked = askedByKey(sites);
  const first = new Map<string, FirstTie>();
  for (const { id } of runs) {
    const [key, before] = [ties.get(id), former.get(id)];
    const now = key === undefined ? undefined : asked.get(key);
    const tie = key === undefined || now === undefined || before?.key === key ? before : { key, asked: now };
    if (tie) first.set(id, tie);
  }
  return first;
}

/** The ids of the retrievals whose call asks for something else than when they were tied to it. */
export function outdatedRuns(sites: readonly OpenSite[], first: ReadonlyMap<string, FirstTie>): Set<string> {
  const asked = askedByKey(sites);
  const isOutdated = ({ key, asked: then }: FirstTie): boolean => (asked.get(key) ?? then) !== then;
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

/** A span that names its file but not the line belongs to the only call of that file. */
function standsAt({ path, lines }: OpenSite, { file, line }: NonNullable<CapturedRun['code']>): boolean {
  if (path === undefined || path !== file) return false;
  return line === undefined || lines.some(({ first, last }) => first <= line && line <= last);
}

/**
 * Instrumentations are named after what they instrument: `openinference.instrumentation.llama_index` in Python,
 * `@arizeai/openinference-instrumentation-langchain` in JavaScript.
 */
function isOfLibrary({ site: { library }, language }: OpenSite, scope: string): boolean {
  const named = /instrumentation[.-](?<library>[\w-]{1,80})$/iu.exec(scope)?.groups?.['library'];
  if (named === undefined || scope.startsWith('@') === (language === 'python')) return false;
  return lettersOf(library.replace(/-js$/u, '')) === lettersOf(named);
}

/** Spans that programs write by hand are named after what is called, or after what calls it. */
function isCalled({ site: { callee, within } }: OpenSite, name: string): boolean {
  return name === callee || (within !== '' && name === within);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
}

/**
 * Retrievals of one trace for the same question by the same step: a retriever that asks others, such as an ensemble.
 * Which of them a call returned cannot be told without its place or its name.
 */
function rivalRuns(runs: readonly CapturedRun[]): Set<string> {
  const together = Map.groupBy(runs, ({ id, query, step }) =>
    JSON.stringify([id.split(':', 1)[0], step, questionKey(query)]),
  );
  return new Set(
    [...together.values()].filter((own) => own.length > 1).flatMap((own) => own.map(({ id }) => id)),
  );
}

/** Figures from the captured retrievals of a call, the newest of every question. */
export interface SiteCaptured {
  /** Different questions. */
  readonly queries: number;
  /** Over those whose perspectives are known; absent where there are none. */
  readonly means: MeanFigures | undefined;
  /** The call was edited since one of them, so that the program may retrieve something else now. */
  readonly stale: boolean;
  /** On whose word they rest. */
  readonly sources: ReturnType<typeof sourcesOf>;
  /** Newest first. */
  readonly runs: readonly {
    readonly id: string;
    readonly query: string;
    /** How many passages came back. */
    readonly k: number;
    readonly perspectives: number;
    readonly figures: RunFigures | undefined;
  }[];
}

/** Retrievals whose perspectives are known, and of which not everything is judged. */
export function openRuns({ runs }: SiteCaptured): string[] {
  return runs.flatMap(({ id, figures }) => (figures && figures.judgedPairs < figures.pairs ? [id] : []));
}

/**
 * @param runs those of the call, newest first
 * @param k of the call; figures are at it, unless more than so many passages came back
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
  const own = [...newest.values()];
  const fits = k !== undefined && own.every((run) => run.k <= k);
  const scored = own.map((run) => ({
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
    queries: own.length,
    means: meanFigures(scored.flatMap(({ figures }) => figures ?? [])),
    stale: own.some(({ id }) => outdated.has(id)),
    sources: sourcesOf(own),
    runs: scored,
  };
}
