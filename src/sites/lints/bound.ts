/** Checks for different numbers of results in the parts of one call. */
import * as l10n from '@vscode/l10n';
import type { Composed } from '../match/compose.ts';
import { callContextOf, leastOf } from '../match/fields.ts';
import type { SiteProblem } from '../model.ts';
import { numberAt } from '../resolve/parameters.ts';
import type { Program } from '../resolve/program.ts';
import { isKnown } from '../resolve/value.ts';
import { appended, replaced } from './edits.ts';
import { docsOf, soleLocated } from './mmr.ts';

/** Elasticsearch: `size` is 100 but `k` of `knn` is 50, or `size` is not set and thus 10. */
export function kAboveBound(program: Program, site: Composed): readonly SiteProblem[] {
  const rule = site.match.rule.call.k;
  const callContext = callContextOf(program, site.match);
  const k = numberAt(callContext, rule.from);
  const least = k && leastOf(callContext, rule, k);
  if (k === undefined) return boundByDefault(program, site);
  if (!isKnown(k) || !isKnown(least)) return [];
  const path = rule.atMost?.from.find((each) => soleLocated(program, site, each) !== undefined);
  const written = path === undefined ? undefined : soleLocated(program, site, path)?.expression;
  if (path === undefined || !written) return [];
  // Elasticsearch rejects more neighbours than candidates.
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

/** Elasticsearch: `k` of `knn` is 50, but `size` is not set and thus 10. */
function boundByDefault(program: Program, site: Composed): readonly SiteProblem[] {
  const { from, atMost } = site.match.rule.call.k;
  const { k } = site.fields;
  const [name] = from;
  if (k.provenance !== 'library-default' || !atMost || name === undefined) return [];
  const path = atMost.from.find((each) => soleLocated(program, site, each) !== undefined);
  const bound = path === undefined ? undefined : numberAt(callContextOf(program, site.match), [path]);
  const written = path === undefined ? undefined : soleLocated(program, site, path)?.expression;
  if (path === undefined || !written || !isKnown(bound) || bound.value <= k.value) return [];
  const body = path.startsWith('body.') ? soleLocated(program, site, 'body')?.expression : site.call;
  const container = body?.kind === 'record' || body?.kind === 'call' ? body : undefined;
  const edit = container && appended(program, container, name, String(bound.value));
  return [
    {
      id: 'k-above-bound',
      message: l10n.t`${k.value} passages come back: ${path} is ${bound.value}, and ${name}, which is not set, is ${k.value}.`,
      place: program.place(written.node),
      docs: atMost.source ?? docsOf(site),
      fix: edit && { title: l10n.t`Set ${name} to ${bound.value}`, edits: [edit] },
    },
  ];
}
