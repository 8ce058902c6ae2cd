/** Checks for fewer candidates than neighbours, which the store rejects. */
import * as l10n from '@vscode/l10n';
import type { Composed } from '../match/compose.ts';
import { callContextOf } from '../match/fields.ts';
import type { SiteProblem } from '../model.ts';
import { numberAt } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import { isKnown } from '../resolve/value.ts';
import { poolFix, roomFor, soleLocated } from './mmr.ts';

interface CandidatesRule {
  readonly library: string;
  /** The places in the call where the vector search may be. */
  readonly within: readonly string[];
  readonly candidates: string;
  readonly k: string;
  /** The largest allowed number of candidates. */
  readonly most: number;
  /** Documentation that fewer are rejected. */
  readonly source: string;
}

const RULES: readonly CandidatesRule[] = [
  {
    library: 'elasticsearch',
    within: ['knn', 'body.knn', 'retriever.knn', 'body.retriever.knn'],
    candidates: 'num_candidates',
    k: 'k',
    most: 10_000,
    source: 'https://www.elastic.co/docs/reference/query-languages/query-dsl/query-dsl-knn-query',
  },
  {
    library: 'mongodb',
    within: ['#0.#0.$vectorSearch', 'pipeline.#0.$vectorSearch'],
    candidates: 'numCandidates',
    k: 'limit',
    most: 10_000,
    source: 'https://www.mongodb.com/docs/atlas/atlas-vector-search/vector-search-stage/',
  },
];

export function candidatesBelowK(program: Program, site: Composed): readonly SiteProblem[] {
  const rule = RULES.find(({ library }) => library === site.match.rule.library.library);
  const within = rule?.within.find((path) => soleLocated(program, site, path) !== undefined);
  if (!rule || within === undefined) return [];
  const callContext = callContextOf(program, site.match);
  const path = `${within}.${rule.candidates}`;
  const [candidates, k] = [path, `${within}.${rule.k}`].map((each) => numberAt(callContext, [each]));
  const written = soleLocated(program, site, path)?.expression;
  if (!isKnown(candidates) || !isKnown(k) || !written || candidates.value >= k.value) return [];
  const room = Math.min(rule.most, roomFor(k.value));
  return [
    {
      id: 'candidates-below-k',
      message: l10n.t`This search is refused: ${rule.candidates} is ${candidates.value}, and must not be less than ${rule.k}, which is ${k.value}.`,
      place: program.place(written.node),
      docs: rule.source,
      fix:
        room >= k.value
          ? poolFix(program, site, { path, name: rule.candidates }, written, candidates, room)
          : undefined,
    },
  ];
}
