/** More passages are asked for than a part of the same call lets come back. */
import * as l10n from '@vscode/l10n';
import type { Composed } from '../match/compose.ts';
import { askedOf, leastOf } from '../match/fields.ts';
import type { SiteProblem } from '../model.ts';
import { numberAt } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import { isKnown } from '../resolve/value.ts';
import { replaced } from './edits.ts';
import { docsOf, soleLocated } from './mmr.ts';

/** Elasticsearch: `size` is 100, and `k` of `knn` 50. */
export function kAboveBound(program: Program, site: Composed): readonly SiteProblem[] {
  const rule = site.match.rule.call.k;
  const asked = askedOf(program, site.match);
  const k = numberAt(asked, rule.from);
  const least = k && leastOf(asked, rule, k);
  if (!isKnown(k) || !isKnown(least)) return [];
  const path = rule.atMost?.from.find((each) => soleLocated(program, site, each) !== undefined);
  const written = path === undefined ? undefined : soleLocated(program, site, path)?.expression;
  if (path === undefined || !written) return [];
  // More neighbours than candidates are refused.
  const { pool } = site.fields;
  const hasRoom = pool === undefined || (isKnown(pool) && pool.value >= k.value);
  return [
    {
      id: 'k-above-bound',
      message: l10n.t`At most ${least.value} passages can come back: ${k.value} are asked for, and ${path} is ${least.value}.`,
      place: program.place(written.node),
      docs: rule.atMost?.source ?? docsOf(site),
      fix:
        written.kind === 'literal' && hasRoom
          ? {
              title: l10n.t`Set ${path} to ${k.value}`,
              edits: [replaced(program, written.node, String(k.value))],
            }
          : undefined,
    },
  ];
}
