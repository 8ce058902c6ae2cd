/**
 * Judges again, without cached answers, the perspectives that the baseline covered and the top k do not. A judge that
 * contradicts itself on the same passages loses and finds perspectives on its own. A loss only counts if the repeated
 * runs show it as well. Others are quarantined, which every report mentions.
 */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import type { Baseline } from './baseline.ts';
import { findInBaseline } from './compare-baseline.ts';
import type { Scored } from './evaluated.ts';
import { queriesWhere } from './lost-since.ts';
import type { GateSpec } from './spec.ts';

/** One sentence on a pipeline's quarantined perspectives, and one if repeated runs were demanded but not made. */
export function quarantineNotes(result: Scored, spec: GateSpec, baseline: Baseline): string[] {
  const { dataset, pipeline } = result;
  if (spec.baseline?.repeats === undefined) return [];
  const then = findInBaseline(baseline, result);
  if (typeof then === 'string') return [];
  if (!dataset.repeated)
    return queriesWhere('lost', result, then.pipeline, spec).length === 0
      ? []
      : [
          l10n.t`What "${pipeline.name}" lost on "${dataset.name}" was not judged again, because no judge was asked again. It counts as lost.`,
        ];
  const out = queriesWhere('quarantined', result, then.pipeline, spec);
  if (out.length === 0) return [];
  const queries = [...new Set(out)].join(', ');
  const { alpha } = spec.baseline;
  return [
    counted(
      l10n.t(
        'Quarantined of "{1}" on "{2}", and not counted as lost: {0} [0:perspective|perspectives] (of {3}). The judge answers differently about the same passages, and no loss is certain at α {4}.',
      ),
      out.length,
      pipeline.name,
      dataset.name,
      queries,
      alpha,
    ),
  ];
}
