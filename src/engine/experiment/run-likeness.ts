/** Likeness and fields of the passages of rankings, for measures and views that ask. */
import { fieldReport, type FieldReport } from '../../core/analysis/field-values.ts';
import { candidateDepth } from '../../core/analysis/lost.ts';
import type { RankedLikeness, RunLikeness } from '../../core/likeness/ranked-likeness.ts';
import { definitionOf, measureName, type Measure } from '../../core/metrics/measures.ts';
import { fieldValue, type DocumentFields } from '../../core/text/fields.ts';
import { Pace } from '../concurrency/pace.ts';
import { rankedLikeness } from '../likeness/ranked-likeness.ts';
import type { Slot, WorkOptions } from '../types.ts';
import type { RanDataset } from './experiments.ts';
import type { PipelineRuns } from './pipeline-runs.ts';
import { groupedPerspectives } from './questions.ts';

/**
 * If a measure needs a share of documents, adds the shares of the values of the corpus's fields.
 *
 * @param names of fields
 */
export function withFields(measures: readonly Measure[], fields: readonly string[]): Measure[] {
  const known = new Set(measures.map(measureName));
  const added = measures
    .filter(({ family }) => family === 'Documents')
    .flatMap(({ k }) => fields.map((field): Measure => ({ family: 'Values', field, k })))
    .filter((measure) => !known.has(measureName(measure)));
  return [...measures, ...added];
}

/** By the names of pipelines. */
export type Likenesses = ReadonlyMap<string, RunLikeness>;

/**
 * @param measures nothing is computed if none of them compares passages
 * @throws ParallaxError what an embedder throws; `cancelled`
 */
export async function runLikenesses(
  { index, runs }: Pick<RanDataset, 'index' | 'runs'>,
  measures: readonly Measure[],
  work: WorkOptions,
): Promise<Likenesses> {
  const asking = measures.filter((measure) => definitionOf(measure).needs === 'passages');
  if (asking.length === 0) return new Map();
  const depth = Math.max(...asking.map(({ k }) => k ?? 0));
  const fields = [...new Set(asking.flatMap(({ field }) => field ?? []))];
  const pace = new Pace(work);
  const found = new Map<string, RunLikeness>();
  for (const run of runs) found.set(run.name, await ofRun(run));
  return found;

  async function ofRun({ resolved, questions }: PipelineRuns): Promise<RunLikeness> {
    const vectors = await index.likenessEmbedder(resolved);
    const rankings = new Map<string, RankedLikeness>();
    for (const [query, ranked] of questions) {
      const slots = ranked.slice(0, candidateDepth(resolved, depth));
      rankings.set(query, await rankedLikeness(index, vectors, { slots, depth, fields }, work));
      if (pace.due) await pace.rest();
    }
    return { vectors, rankings };
  }
}

/** The values of each counted field of the corpus in the top k of a pipeline. @throws ParallaxError `cancelled` */
export async function fieldReports(
  { index, dataset }: Pick<RanDataset, 'index' | 'dataset'>,
  { questions, perspectives }: PipelineRuns,
  k: number,
  { signal }: WorkOptions,
): Promise<FieldReport[]> {
  const pace = new Pace({ signal });
  const fieldsOf = async (slots: readonly Slot[] = []): Promise<(DocumentFields | undefined)[]> => {
    if (pace.due) await pace.rest();
    return index.passages(slots.slice(0, k)).map(({ fields }) => fields);
  };
  const tops: (DocumentFields | undefined)[][] = [];
  for (const slots of questions.values()) tops.push(await fieldsOf(slots));
  const searches: { readonly group: string; readonly top: (DocumentFields | undefined)[] }[] = [];
  if (perspectives)
    for (const { id, group } of groupedPerspectives(dataset.queries))
      searches.push({ group, top: await fieldsOf(perspectives.full.get(id)) });
  return index.fields.counted.map((field) => {
    const valuesOf = (top: readonly (DocumentFields | undefined)[]): (string | undefined)[] =>
      top.map((fields) => fieldValue(fields, field));
    return fieldReport(
      field,
      tops.map(valuesOf),
      searches.map(({ group, top }) => ({ group, values: valuesOf(top) })),
    );
  });
}
