/** How the passages of one query change ranks between pipelines. Pure. */
import * as l10n from '@vscode/l10n';
import type { Movement } from '../../../src/features/compare/contract/panel.ts';
import type { MovementChart } from '../../charts/draw-movement.ts';
import { counted } from '../../../src/core/counted.ts';
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { clauses } from '../strings.ts';

/** Describes the chart of rank movement. */
function movementDescription(pipelines: number, depth: number, supporting: number): string {
  return clauses([
    counted(l10n.t('Ranks of passages under {0} [0:pipeline|pipelines], down to rank {1}'), pipelines, depth),
    counted(l10n.t('{0} [0:passage supports|passages support] a perspective.'), supporting),
  ]);
}

const words = {
  movementDescription,
  passage: () => l10n.t('Passage'),
  supports: () => l10n.t('Supports'),
};

/** `undefined` if no pipeline ran, the query is not in the data set, or nothing was found for it. */
export function rankMovement(set: ShownSet, movement: Movement): MovementChart | undefined {
  const ran = ranPipelines(set);
  const query = set.queries.find(({ id }) => id === movement.queryId);
  if (!query || ran.length === 0 || movement.passages.length === 0) return undefined;
  const passages = movement.passages.map(({ title, ranks, supports }) => {
    const signs = query.perspectives.filter(({ id }) => supports.includes(id));
    const [first] = signs;
    return {
      title,
      sign: first && { letters: signs.map(({ letter }) => letter).join(''), hue: first.color },
      ranks: ran.map(({ index }) => ranks[index] ?? null),
    };
  });
  const names = ran.map(({ name }) => name);
  const supporting = passages.filter(({ sign }) => sign);
  const tablePassages = supporting.length > 0 ? supporting : passages;
  return {
    kind: 'movement',
    key: `movement ${set.id} ${set.name} ${query.id} ${movement.depth}`,
    name: `movement ${query.id} ${set.name}`,
    description: words.movementDescription(names.length, movement.depth, supporting.length),
    pipelines: names,
    depth: movement.depth,
    k: set.k,
    passages,
    table: {
      columns: [words.passage(), words.supports(), ...names],
      rows: tablePassages.map(({ title, sign, ranks }) => [
        title,
        sign?.letters,
        ...ranks.map((rank) => (rank === null ? undefined : String(rank))),
      ]),
    },
    data: {
      columns: ['passage', 'title', 'supports', 'pipeline', 'rank'],
      rows: passages.flatMap(({ title, sign, ranks }, row) =>
        ranks.map((rank, index) => [
          movement.passages[row]!.id,
          title,
          sign?.letters,
          names[index],
          rank ?? undefined,
        ]),
      ),
    },
  };
}
