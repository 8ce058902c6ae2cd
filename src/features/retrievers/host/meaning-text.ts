/** The result of comparing two encoders, in sentences. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { percent, points } from '../../gate/core/wording.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import { measuredText } from '../../../core/facts.ts';

/** Why there is no comparison: there is no eval set, or the user does not want to wait or pay. */
export type NotCompared = 'no-eval-set' | 'declined';

/** @param before the baseline of the comparison */
export function comparedText(
  compared: Evaluation | NotCompared,
  before: NamedPipeline,
  after: NamedPipeline,
): string {
  if (compared === 'no-eval-set')
    return l10n.t`“${after.name}” answers. No eval set has a question for this corpus, so it is unknown which of the two finds more.`;
  if (compared === 'declined') return l10n.t`“${after.name}” answers. The two were not compared.`;
  return compared.datasets.map((dataset) => datasetText(dataset, compared.k, before, after)).join(' ');
}

function datasetText(
  { name, pipelines, queries }: Evaluation['datasets'][number],
  k: number,
  before: NamedPipeline,
  after: NamedPipeline,
): string {
  const measure = `MRecall@${k}`;
  const [was, is] = [before, after].map(
    (choice) => pipelines.find((pipeline) => pipeline.name === choice.name)?.measures[measure],
  );
  if (!was || !is) return l10n.t`The two could not be compared on ${name}.`;
  const figures = l10n.t`${measure} on ${name}: ${measuredText(is, withSign)} with “${after.name}”, ${measuredText(was, withSign)} with “${before.name}”.`;
  const { difference } = is;
  if (!difference) return l10n.t`${figures} Too little is judged to tell a difference.`;
  const { value, low, high, wins, losses, ties } = difference;
  const compared = wins + losses + ties;
  const sentence = counted(
    l10n.t('{0} {1} points [{2}, {3}] on {4} of {5} [5:question|questions], {6} won, {7} lost.'),
    figures,
    points(value),
    points(low),
    points(high),
    compared,
    queries.length,
    wins,
    losses,
  );
  return low <= 0 && high >= 0 ? l10n.t`${sentence} That may be chance.` : sentence;
}

const withSign = (share: number): string => `${percent(share)}%`;
