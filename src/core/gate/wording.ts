/** The sentences of a gate, the same in every output. */
import type { LostPerspective } from '../analysis/lost.ts';
import type { JudgementSummary } from './baseline.ts';
import type { Attribution, BaselineDifference, GateCheck } from './report.ts';

/** A share as a percentage without its sign: 0.5838 → `58.4`. */
export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

/** A difference of shares in percentage points: 0.012 → `+1.2`. */
export function points(difference: number): string {
  const size = percent(Math.abs(difference));
  return size === '0.0' ? size : `${difference < 0 ? '−' : '+'}${size}`;
}

/** `p .031`, as in the rest of the product. */
export function pValue(p: number): string {
  if (p < 0.001) return 'p < .001';
  return p >= 0.995 ? 'p 1' : `p ${p.toFixed(p < 0.0995 ? 3 : 2).slice(1)}`;
}

/** What is checked, for people: `MRecall@5 ≥ 50.0`, `Judged@5 ≥ 80.0 [policy]`, `MRecall@5 vs. baseline`. */
export function checkTitle({ metric, min, tag }: Pick<GateCheck, 'metric' | 'min' | 'tag'>): string {
  const demand = min === undefined ? 'vs. baseline' : `≥ ${percent(min)}`;
  return `${metric} ${demand}${tag === undefined ? '' : ` [${tag}]`}`;
}

export function thresholdReason(
  metric: string,
  { value, min, reached }: { readonly value: number; readonly min: number; readonly reached: boolean },
  over: string,
): string {
  // 49.96 is below 50 and must not be printed as 50.0.
  const digits = percent(value) === percent(min) && !reached ? 4 : 1;
  const [found, demanded] = [value, min].map((share) => (share * 100).toFixed(digits));
  return `${metric} ${over} is ${found}, which ${reached ? 'reaches' : 'is below'} ${demanded}.`;
}

export function baselineReason(metric: string, missed: boolean, found: BaselineDifference): string {
  const { value, difference, low, high, p, alpha, tolerance, queries, wins, losses } = found;
  const verdict = missed
    ? 'significantly worse'
    : difference >= 0
      ? 'not worse'
      : -difference <= tolerance
        ? 'within the tolerance'
        : 'not significantly worse';
  return (
    `${metric} is ${percent(value + difference)}, in the baseline ${percent(value)}: ${points(difference)} points ` +
    `[${points(low)}, ${points(high)}] on ${count(queries, 'query', 'queries')} (${wins} won, ${losses} lost), ` +
    `${pValue(p)}, ${verdict} at α ${alpha}. ${attributionSentence(difference, found.attribution)}`
  );
}

/** Why a figure is another than before. @param before what it is compared with */
export function attributionSentence(
  difference: number,
  { changes, noise, parts }: Attribution,
  before = 'the baseline',
): string {
  const list = changes.map((change) => `the ${change}`);
  const changed =
    list.length === 0
      ? 'nothing that is known of'
      : list.length === 1
        ? list[0]!
        : `${list.slice(0, -1).join(', ')} and ${list.at(-1)!}`;
  if (difference === 0 && changes.length === 0) return 'Nothing changed.';
  const split =
    parts && parts.judgements !== 0
      ? ` Of the difference, ${points(parts.judgements)} points come from judgements and ${points(parts.retrieval)} from retrieval.`
      : '';
  const interval = noise ? ' The interval includes 0: this may be noise.' : '';
  return `Changed since ${before}: ${changed}.${split}${interval}`;
}

/** A check that a query had a part in missing, with the query's own value. */
export function missedBy(metrics: Readonly<Record<string, number>>, check: GateCheck): string {
  return `${checkTitle(check)} (here ${percent(metrics[check.metric] ?? 0)})`;
}

export function lostReason(loss: LostPerspective, k: number): string {
  switch (loss.where) {
    case 'covered':
      return `Covered at rank ${loss.rank}.`;
    case 'below-k':
      return `First supported at rank ${loss.rank}, below ${k}.`;
    case 'approximate-miss':
      return `The approximate search misses it; an exact one has it at rank ${loss.exactRank}.`;
    case 'not-retrieved':
      return `Supported by ${loss.path}, which is not among the ${loss.candidates} candidates.`;
    case 'unjudged':
      return loss.unjudged > 0
        ? `Not known to be supported; ${loss.unjudged} of the top ${k} are unjudged for it.`
        : 'Nothing was retrieved.';
    case 'not-in-corpus':
      return 'No judged passage supports it.';
  }
}

/** `165 of 165 pairs within the top 5 judged: 120 by people, 45 by lexical (offline heuristic)`. */
export function judgedSentence({ pairs, judged, by }: JudgementSummary, k: number): string {
  const who = by.map(({ source, judge, count: own, heuristic }) =>
    source === 'human' ? `${own} by people` : `${own} by ${judge}${heuristic ? ' (offline heuristic)' : ''}`,
  );
  return `${judged} of ${pairs} pairs within the top ${k} judged${who.length > 0 ? `: ${who.join(', ')}` : ''}`;
}

export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
