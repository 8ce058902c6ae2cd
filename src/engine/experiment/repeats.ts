/** Compares the figures of repeated judgements of the same rankings. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import { supports } from '../../core/metrics/judgements.ts';
import { LIKENESS_MEASURES } from '../../core/metrics/likeness-measures.ts';
import type { Measure } from '../../core/metrics/measures.ts';
import { repeatedFigure, type RepeatedFigure, type RepeatsReport } from '../../core/metrics/repeats.ts';
import type { Qrels } from '../../core/model.ts';
import { MAX_REPEATS } from '../../shared/experiment.ts';
import type { Judge } from '../judges/judge.ts';
import type { Judges } from '../judges/judges.ts';
import type { WorkOptions } from '../types.ts';
import { scoresOf } from './analyses.ts';
import type { CollectedJudgements } from './collected-judgements.ts';
import { figureQueries, judgementsOf, type RanDataset } from './experiments.ts';
import { areSettled, type FigureOptions } from './judge-figures.ts';

/**
 * The judge of each repeat from the second on.
 *
 * @throws ParallaxError `bad-argument` for a judge whose answers do not vary
 */
export function judgesOfRepeats(judges: Judges, name: string, repeats: number): Judge[] {
  if (repeats === 1) return [];
  if (judges.get(name)?.expense !== 'paid')
    throw new ParallaxError(
      'bad-argument',
      l10n.t`"${name}" runs on this machine and always gives the same answer. Repeat a judge that asks a model.`,
    );
  return Array.from({ length: repeats - 1 }, (_, place) => judges.repeated(place + 2).get(name)!);
}

/**
 * What changes between the repeats that are complete with stored answers. No judge is asked.
 *
 * @param ran complete pipelines with the judge of the first repeat
 * @param repeatOf the judge of a repeat, from 2; `undefined` if its answers do not vary
 * @returns `undefined` for fewer than two complete repeats
 * @throws ParallaxError `cancelled`
 */
export async function storedRepeats(
  ran: RanDataset,
  repeatOf: ((repeat: number) => Judge | undefined) | undefined,
  { scope, ...read }: ReportOptions & Pick<FigureOptions, 'scope'>,
  work: WorkOptions,
): Promise<RepeatsReport | undefined> {
  if (ran.labels.judge?.expense !== 'paid') return undefined;
  const repeats: Repeat[] = [];
  for (let repeat = 1; repeat <= MAX_REPEATS; repeat++) {
    const judge = repeat === 1 ? ran.labels.judge : repeatOf?.(repeat);
    if (!judge) break;
    const own = { ...ran, labels: ran.labels.judgedBy(judge) };
    if (!(await areSettled(figureQueries(own), { cutoffs: [read.k], scope }, work))) break;
    repeats.push({ ran: own, isComplete: true });
  }
  return repeats.length < 2 ? undefined : repeatsReport(repeats, read, work);
}

/** A repeat with its judgements. */
export interface Repeat {
  readonly ran: RanDataset;
  /** Whether everything is judged that figures rest on. */
  readonly isComplete: boolean;
}

/** Measures of likeness say the same whatever the judge does. */
export function isOfVerdicts(measure: Measure): boolean {
  return !LIKENESS_MEASURES.some(({ family }) => family === measure.family);
}

export interface ReportOptions {
  /** Of the judgements that figures read. */
  readonly k: number;
  readonly measures: readonly Measure[];
  /** The pipeline that the others are compared with. */
  readonly compareTo?: string | undefined;
}

/** @throws ParallaxError `cancelled` */
export async function repeatsReport(
  repeats: readonly Repeat[],
  { k, measures, compareTo }: ReportOptions,
  work: WorkOptions,
): Promise<RepeatsReport> {
  const complete = repeats.filter(({ isComplete }) => isComplete);
  const judged: CollectedJudgements[] = [];
  for (const { ran } of complete) judged.push(await judgementsOf(ran, { k }, { signal: work.signal }));
  const counted = {
    complete: complete.length,
    wanted: repeats.length,
    ...contradictions(judged.map(({ qrels }) => qrels)),
  };
  if (complete.length < 2) return { ...counted, pipelines: [] };
  const scored = complete[0]!.ran.runs.map((runs) => ({
    name: runs.name,
    perRepeat: judged.map((judgements) => scoresOf(runs, measures, { judgements }).perTopic),
  }));
  const baseline = scored.find(({ name }) => name === compareTo);
  return {
    ...counted,
    pipelines: scored.map((own) => ({
      name: own.name,
      figures: figuresOf(own.perRepeat),
      ...(baseline && baseline !== own ? { differences: figuresOf(own.perRepeat, baseline.perRepeat) } : {}),
      changes: changesOf(own.perRepeat),
    })),
  };
}

type PerRepeat = readonly ReadonlyMap<string, Readonly<Record<string, number>>>[];

/** @param before undefined for figures, the baseline's for differences */
function figuresOf(perRepeat: PerRepeat, before?: PerRepeat): Record<string, RepeatedFigure> {
  const [first] = perRepeat as [PerRepeat[number]];
  const queries = [...first.keys()];
  const names = Object.keys(first.values().next().value ?? {});
  const valueOf = (repeat: number, query: string, name: string): number =>
    perRepeat[repeat]!.get(query)![name]! - (before?.[repeat]!.get(query)![name] ?? 0);
  return Object.fromEntries(
    names.map((name) => [
      name,
      repeatedFigure(
        name,
        queries.map((query) => perRepeat.map((_, repeat) => valueOf(repeat, query, name))),
        before ? -1 : 0,
      ),
    ]),
  );
}

function changesOf(perRepeat: PerRepeat): RepeatsReport['pipelines'][number]['changes'] {
  return [...perRepeat[0]!].flatMap(([query, figures]) => {
    const values = Object.keys(figures).flatMap((name) => {
      const own = perRepeat.map((repeat) => repeat.get(query)![name]!);
      return own.every((value) => value === own[0]) ? [] : [[name, own] as const];
    });
    return values.length === 0 ? [] : [{ query, values: Object.fromEntries(values) }];
  });
}

/** Pairs that were judged every time, and the number of those with different verdicts. */
function contradictions(repeats: readonly Qrels[]): Pick<RepeatsReport, 'pairs' | 'contradicted'> {
  let [pairs, contradicted] = [0, 0];
  for (const [query, topic] of repeats[0] ?? [])
    for (const [perspective, passages] of topic)
      for (const passage of passages.keys()) {
        const grades = repeats.map((qrels) => qrels.get(query)?.get(perspective)?.get(passage));
        if (grades.includes(undefined)) continue;
        pairs++;
        if (new Set(grades.map((grade) => supports(grade))).size > 1) contradicted++;
      }
  return { pairs, contradicted };
}
