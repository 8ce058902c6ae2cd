/** Where each pipeline loses perspectives, and which side of a question it leans to. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Place } from '../../../src/core/coverage-states.ts';
import type { DatasetEvaluation } from '../../../src/evaluation/evaluation.ts';
import { openCount, sumOf } from '../../../src/evaluation/reading.ts';
import type { SideShares } from '../../../src/core/analysis/leaning.ts';
import { section } from '../../components/section.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines, type RanPipeline } from '../outcomes.ts';
import { followLead } from '../queries/follow-lead.ts';
import { compareWords } from '../strings.ts';
import { shareTable, type SharePart, type ShareRow } from './share-table.ts';
import { overviewWords } from './strings.ts';

export function losses(context: ComparedContext): TemplateResult | typeof nothing {
  const { set } = context;
  const ran = ranPipelines(set);
  const [first] = ran;
  if (!first) return nothing;
  const approximate = ran.some(({ places }) => places['approximate-miss'] > 0);
  const parts = partsOf(overviewWords.lossParts(set.k)).filter(
    ({ key }) => approximate || key !== 'approximate-miss',
  );
  const perspectives = sumOf(first.places);
  // If the labels are a pool, the figures are complete.
  const isWhole = set.basis !== 'open' || ran.every(({ judged }) => judged === 1);
  return section(
    { id: 'losses', heading: overviewWords.losses(), note: overviewWords.lossesNote(perspectives, isWhole) },
    shareTable({
      caption: overviewWords.lossesCaption(),
      names: compareWords.pipeline(),
      bars: overviewWords.bar(),
      parts,
      rows: ran.map((pipeline) => lossRow(context, pipeline, parts)),
      totals: ran.length > 1 ? unionRow(set.union, ran) : [],
    }),
  );
}

function lossRow(
  context: ComparedContext,
  { name, label, places, open: openPlaces }: RanPipeline,
  parts: readonly SharePart<Place>[],
): ShareRow {
  const all = sumOf(places);
  const counts = parts.map(({ key }) => places[key]);
  // Unjudged perspectives are always open, so their count is not repeated.
  const open = parts.map(({ key }) => (key === 'unjudged' ? 0 : openPlaces[key]));
  const isAnyOpen = openCount({ open: openPlaces }) > 0;
  return {
    testId: `loss-${name}`,
    name,
    title: label,
    shares: counts.map((n) => (all === 0 ? 0 : n / all)),
    open: open.map((n) => (all === 0 ? 0 : n / all)),
    cells: counts.map((n, index) => {
      const { key, label: part } = parts[index]!;
      return {
        text: key === 'covered' && isAnyOpen ? overviewWords.countAtLeast(n) : compareWords.count(n),
        title: all === 0 ? '' : overviewWords.ofAll(n, all),
        note: open[index]! > 0 ? overviewWords.lossOpen(open[index]!) : undefined,
        ...(n > 0
          ? {
              follow: {
                label: overviewWords.lossLead(n, part, name),
                testId: `lead-${key}-${name}`,
                onClick: () => followLead(context, { to: 'place', pipeline: name, place: key }),
              },
            }
          : {}),
      };
    }),
  };
}

/**
 * Coverage of all pipelines together, if anything is judged. It has no loss bar, because each pipeline loses different
 * perspectives.
 */
function unionRow(union: DatasetEvaluation['union'], ran: readonly RanPipeline[]): ShareRow[] {
  if (ran.every(({ judged }) => judged === 0)) return [];
  const isAll = union.perspectives === 1 && union.queries === 1;
  const isWhole = isAll || ran.every(({ judged }) => judged === 1);
  return [
    {
      testId: 'loss-union',
      name: overviewWords.union(),
      title: overviewWords.unionHint(),
      shares: [union.perspectives],
      cells: overviewWords.unionNote(union, isWhole),
    },
  ];
}

/** The analyses that are left out because they would count unjudged pairs as "no", with the reason. */
export function notShown({ set }: ComparedContext): TemplateResult | typeof nothing {
  const all = ranPipelines(set).flatMap(({ name, tooLittleJudged }) =>
    tooLittleJudged.map((one) => ({ name, ...one })),
  );
  if (all.length === 0) return nothing;
  const views = [...Map.groupBy(all, ({ view }) => view)];
  return html`${views.map(
    ([view, pipelines]) =>
      html`<p class="second" data-testid="not-shown-${view}">
        ${overviewWords.notShown(
          viewName(view),
          pipelines.map(({ name }) => name),
          Math.min(...pipelines.map(({ judged }) => judged)),
        )}
      </p>`,
  )}`;
}

function viewName(view: RanPipeline['tooLittleJudged'][number]['view']): string {
  switch (view) {
    case 'leaning':
      return overviewWords.leaning();
    case 'sycophancy':
      return overviewWords.sycophancy();
    case 'groups':
      return overviewWords.groups();
    case 'set-size':
      return compareWords.setSize();
  }
}

export function leaning({ set }: ComparedContext): TemplateResult | typeof nothing {
  const rows = ranPipelines(set).flatMap(({ name, label, judged, leaning: sides }) =>
    // Without verdicts every query would lean to neither side.
    judged > 0 && sides && sides.queries > 0 ? { name, label, sides } : [],
  );
  const [first] = rows;
  if (!first) return nothing;
  const parts = partsOf(overviewWords.leaningParts());
  return section(
    {
      id: 'leaning',
      heading: overviewWords.leaning(),
      note: overviewWords.leaningNote(first.sides.queries),
      definition: overviewWords.leaningDefinition(),
    },
    shareTable({
      caption: overviewWords.leaningCaption(),
      names: compareWords.pipeline(),
      bars: overviewWords.bar(),
      parts,
      rows: rows.map(({ name, label, sides }) => leaningRow(name, label, sides, parts)),
    }),
  );
}

function leaningRow(
  name: string,
  label: string,
  sides: SideShares,
  parts: readonly SharePart<Exclude<keyof SideShares, 'queries'>>[],
): ShareRow {
  const shares = parts.map(({ key }) => sides[key]);
  return {
    testId: `leaning-${name}`,
    name,
    title: label,
    shares,
    cells: shares.map((share) => ({
      text: overviewWords.share(share),
      title: overviewWords.ofAll(Math.round(share * sides.queries), sides.queries),
    })),
  };
}

function partsOf<Key extends string>(words: Record<Key, string[]>): SharePart<Key>[] {
  return (Object.entries(words) as [Key, string[]][]).map(([key, [label = '', definition = '']]) => ({
    key,
    label,
    definition,
  }));
}
