/**
 * Labelling by hand, one pair of a passage and a perspective after the other: in the matrix, in the strip below it, or
 * on a passage. Y, N and U give the verdict and move to the next unjudged pair.
 */
import { expectedText } from '../../src/features/explain/core/wording.ts';
import type { Verdict } from '../../src/core/model.ts';
import type {
  InspectorState,
  PerspectiveView,
  ResultView,
} from '../../src/features/inspector/contract/panel.ts';
import { focusCell, type GridCell } from '../components/grid.ts';
import type { Context } from './draft.ts';

/** The passage and the perspective of a cell of the matrix: rows are perspectives, columns are ranks. */
export function pairAt(
  { perspectives, results }: Pick<InspectorState, 'perspectives' | 'results'>,
  { row, column }: GridCell,
): { readonly perspective: PerspectiveView; readonly item: ResultView } | undefined {
  const perspective = perspectives[row];
  const item = results?.items[column];
  return perspective && item && { perspective, item };
}

/**
 * The next unjudged pair of the top k after a cell: first the other perspectives of its passage, because the user has
 * just read it, then the passages below, then those above.
 */
export function nextUnjudged(
  { perspectives, results }: Pick<InspectorState, 'perspectives' | 'results'>,
  { row, column }: GridCell,
): GridCell | undefined {
  const rows = perspectives.length;
  const columns = Math.min(results?.items.length ?? 0, results?.metrics.k ?? 0);
  const from = column * rows + row;
  for (let step = 1; step < rows * columns; step++) {
    const place = (from + step) % (rows * columns);
    const cell = { row: place % rows, column: Math.floor(place / rows) };
    if (isUnjudged(pairAt({ perspectives, results }, cell))) return cell;
  }
  return undefined;
}

export function firstUnjudged(state: InspectorState, column: number): GridCell | undefined {
  const row = state.perspectives.findIndex((_, place) => isUnjudged(pairAt(state, { row: place, column })));
  return row < 0 ? undefined : { row, column };
}

/** Shows the matrix and focuses its first unjudged pair. */
export function startLabelling({ state, actions }: Context): void {
  const last = {
    row: state.perspectives.length - 1,
    column: Math.min(state.results?.items.length ?? 0, state.results?.metrics.k ?? 0) - 1,
  };
  const first = nextUnjudged(state, last) ?? last;
  actions.edit({ moreOpen: true, cell: first, labelling: true });
  const matrix = document.querySelector<HTMLElement>('[data-testid="coverage-matrix"]');
  if (matrix) focusCell(matrix, first);
  keepPairInSight();
}

/** Keyboard users read the passage without scrolling to it. */
export function keepPairInSight(): void {
  document.querySelector('.labelling')?.scrollIntoView({ block: 'nearest' });
}

function isUnjudged(pair: ReturnType<typeof pairAt>): boolean {
  if (!pair) return false;
  const { perspective, item } = pair;
  const judgement = item.judgements.find(({ perspectiveId }) => perspectiveId === perspective.id);
  return judgement === undefined || judgement.verdict === 'unjudged';
}

/**
 * Labels the pair of a cell and moves to the next one.
 *
 * @returns the next cell; the same one if nothing is left to label
 */
export function labelCell({ state, actions }: Context, cell: GridCell, verdict: Verdict): GridCell {
  const pair = pairAt(state, cell);
  const next = nextUnjudged(state, cell) ?? cell;
  if (!pair) return next;
  const { document } = pair.perspective;
  if (document !== undefined) {
    actions.announce(expectedText(document));
    return cell;
  }
  actions.send({
    type: 'label',
    passageId: pair.item.passageId,
    perspectiveId: pair.perspective.id,
    verdict,
  });
  actions.edit({ cell: next });
  return next;
}

/** The pair whose verdict changed, if there is only one. */
export function onlyChange(
  previous: InspectorState,
  next: InspectorState,
):
  | { readonly cell: GridCell; readonly letter: string; readonly rank: number; readonly verdict: Verdict }
  | undefined {
  const before = verdicts(previous);
  const changed = [...verdicts(next)].filter(([key, { verdict }]) => before.get(key)?.verdict !== verdict);
  const [[, change] = []] = changed;
  if (changed.length !== 1 || !change || change.verdict === 'unjudged') return undefined;
  return { ...change, verdict: change.verdict };
}

function verdicts({ perspectives, results }: InspectorState): Map<
  string,
  {
    readonly cell: GridCell;
    readonly letter: string;
    readonly rank: number;
    readonly verdict: Verdict | 'unjudged';
  }
> {
  return new Map(
    (results?.items ?? []).flatMap(({ passageId, rank, judgements }, column) =>
      judgements.map(({ perspectiveId, verdict }) => {
        const row = perspectives.findIndex(({ id }) => id === perspectiveId);
        const letter = perspectives[row]?.letter ?? '';
        return [JSON.stringify([passageId, perspectiveId]), { cell: { row, column }, letter, rank, verdict }];
      }),
    ),
  );
}
