/** Sentences of a gate, shared by all outputs. Names of checks, and sentences only used in reports, are English. */
import * as l10n from '@vscode/l10n';
import { counted, counts } from '../../../core/counted.ts';
import { labelOrJudge, measuredText, circularText, noiseText, sentence } from '../../../core/facts.ts';
import type { UnanswerableReport } from '../../../core/analysis/unanswerable.ts';
import { TIE } from '../../../core/metrics/differences.ts';
import type { Figure } from '../../../core/metrics/figures.ts';
import type { Measured } from '../../../core/measured.ts';
import type { FlatDifference } from './flat-difference.ts';
import type { Attribution, CheckOutcome, GateCheck } from './report.ts';

/** A share as a percentage without its sign: 0.5838 → `58.4`. */
export function percent(share: number): string {
  return (share * 100).toFixed(1);
}

/** A difference of shares in percentage points: 0.012 → `+1.2`. */
export function points(difference: number): string {
  const size = percent(Math.abs(difference));
  return size === '0.0' ? size : `${difference < 0 ? '−' : '+'}${size}`;
}

/** A p-value such as `p .031`, as in the rest of the product. */
export function pValue(p: number): string {
  if (p < 0.001) return 'p < .001';
  return p >= 0.995 ? 'p 1' : `p ${p.toFixed(p < 0.0995 ? 3 : 2).slice(1)}`;
}

/**
 * A short name: `MRecall@5 ≥ 50.0`, `Judged@5 ≥ 80.0 [policy]`, `MRecall@5 vs. baseline`, `lost perspectives ≤ 0`,
 * `missing documents ≤ 0`, `false retrieval ≤ 40.0`.
 */
export function checkTitle({
  kind,
  metric,
  min,
  max,
  tag,
  lost,
}: Pick<GateCheck, 'kind' | 'metric' | 'min' | 'max' | 'tag' | 'lost'>): string {
  if (max !== undefined) return `false retrieval ≤ ${percent(max)}`;
  if (lost) return `${kind === 'documents' ? 'missing documents' : 'lost perspectives'} ≤ ${lost.most}`;
  const demand = min === undefined ? 'vs. baseline' : `≥ ${percent(min)}`;
  return `${metric} ${demand}${tag === undefined ? '' : ` [${tag}]`}`;
}

/** The value of a check: `58.4`, `≥ 58.4` for a lower bound, or the number of lost perspectives. */
export function checkValue(check: Pick<GateCheck, 'value' | 'bound' | 'most' | 'lost'>): string {
  return check.lost ? String(check.lost.count) : figureText(check);
}

/** `58.4`, or `≥ 58.4` for a lower bound. */
export function figureText(measured: Measured): string {
  return measuredText(measured, percent);
}

/** @param max the most that is allowed */
export function falseRetrievalReason(
  { questions, falseRetrieval, k }: UnanswerableReport,
  max: number,
): string {
  return counted(
    l10n.t(
      '{0} of {1} [1:question|questions] without an answer [0:has|have] passages in the top {2}, which is {3}%. The gate allows {4}%.',
    ),
    Math.round(falseRetrieval * questions),
    questions,
    k,
    percent(falseRetrieval),
    percent(max),
  );
}

/** @param isThere whether there are questions without an answer */
export function noneUnanswerableReason(isThere: boolean): string {
  return isThere
    ? l10n.t('The questions without an answer could not be asked.')
    : l10n.t(
        'No eval set has a question without an answer. Add some ("answerable": false), or demand nothing of them.',
      );
}

export function expectedDocumentsReason(expected: number, missing: number): string {
  return missing === 0
    ? counted(l10n.t('All {0} expected [0:document is|documents are] found.'), expected)
    : counted(
        l10n.t('{0} of {1} expected [1:document|documents] did not reach the required rank.'),
        missing,
        expected,
      );
}

/** @param most the value if all unjudged passages supported */
export function thresholdReason(
  metric: string,
  {
    value,
    most,
    min,
    outcome,
    open,
  }: Pick<GateCheck, 'open'> & {
    readonly value: number;
    readonly most: number;
    readonly min: number;
    readonly outcome: CheckOutcome;
  },
  over: string,
): string {
  const reached = value >= min - TIE;
  // 49.96 is below 50 and must not print as 50.0.
  const digits = percent(value) === percent(min) && !reached ? 4 : 1;
  const [found, required, atMost] = [value, min, most].map((share) => (share * 100).toFixed(digits));
  if (outcome === 'undecided')
    return `${l10n.t`${metric} ${over} is ${found!} if no unjudged pair counts as support, and ${atMost!} if all of them do: whether it reaches ${required!} is not known.`} ${labelOrJudge(firstOf(open))}`;
  if (reached) return l10n.t`${metric} ${over} is ${found!}, which reaches ${required!}.`;
  return found === atMost
    ? l10n.t`${metric} ${over} is ${found!}, which is below ${required!}.`
    : l10n.t`${metric} ${over} is ${found!}, and would be ${atMost!} if all unjudged pairs counted as support, which is below ${required!}.`;
}

/** A few ids, enough to find the queries. */
export function firstOf(ids: readonly string[] = []): string {
  return ids.length <= 5 ? ids.join(', ') : `${ids.slice(0, 5).join(', ')}, …`;
}

/** The reason of a threshold on a figure without the judge's errors. @param note a sentence on the labels behind it */
export function correctedReason(
  metric: string,
  {
    value,
    low,
    high,
    counted: asCounted,
    min,
    outcome,
  }: Figure & { readonly counted: number; readonly min: number; readonly outcome: CheckOutcome },
  note: string,
): string {
  const interval = `[${percent(low)}, ${percent(high)}]`;
  const figures = l10n.t`${metric} is ${percent(value)} ${interval} without the judge's errors, ${percent(asCounted)} as counted;`;
  return `${figures} ${correctedVerdict(outcome, percent(min))} ${note}`;
}

function correctedVerdict(outcome: CheckOutcome, min: string): string {
  switch (outcome) {
    case 'passed':
      return l10n.t`the whole interval is at or above ${min}.`;
    case 'missed':
      return l10n.t`the whole interval is below ${min}.`;
    case 'undecided':
      return l10n.t`the interval includes ${min}, so the labels cannot decide it.`;
  }
}

/** The queries that a mean is taken over, for {@link thresholdReason}. */
export function overQueries(queries: number, tag: string | undefined): string {
  return tag === undefined
    ? l10n.t`over ${counts.questions(queries)}`
    : l10n.t`over ${counts.questions(queries)} with the tag "${tag}"`;
}

/** The reason of a comparison whose value is exact. */
export function baselineReason(
  metric: string,
  missed: boolean,
  comparison: FlatDifference & { readonly p: number },
): string {
  const { value, difference, low, high, p, alpha, queries, wins, losses } = comparison;
  const [now, then] = [percent(value + difference), percent(value)];
  const by = `[${points(low)}, ${points(high)}]`;
  const verdict = comparisonVerdict(missed, comparison);
  const figures = l10n.t`${metric} is ${now}, in the baseline ${then}: ${points(difference)} points ${by} on ${counts.questions(queries)} (${wins} won, ${losses} lost), ${pValue(p)}, ${verdict} at α ${alpha}.`;
  return `${figures} ${attributionSentence(difference, comparison.attribution)}`;
}

/** The reason of a comparison whose value further verdicts may change, so that its difference is unknown. */
export function boundReason(
  metric: string,
  outcome: CheckOutcome,
  {
    then,
    open,
    ...measured
  }: Measured & { readonly then: number; readonly open?: readonly string[] | undefined },
): string {
  const figures = l10n.t`${metric} is ${figureText(measured)} so far, compared with ${percent(then)} in the baseline; it would be ${percent(measured.most ?? measured.value)} if every unjudged pair counted as support.`;
  switch (outcome) {
    case 'passed':
      return `${figures} ${l10n.t('No further verdict can make it a loss that counts.')}`;
    case 'missed':
      return `${figures} ${l10n.t('Either way, it is a loss that counts.')}`;
    case 'undecided':
      return `${figures} ${l10n.t('It is not known whether this is a loss that counts.')} ${labelOrJudge(firstOf(open))}`;
  }
}

/** The reason of a comparison without the judge's errors. @param note a sentence on the labels behind it */
export function correctedBaselineReason(
  metric: string,
  missed: boolean,
  { difference, low, high, counted: asCounted = 0, attribution }: FlatDifference,
  note: string,
): string {
  const figures = l10n.t`${metric} differs from the baseline by ${points(difference)} points [${points(low)}, ${points(high)}] without the judge's errors, ${points(asCounted)} as counted;`;
  const verdict = missed
    ? l10n.t('the whole interval is a loss that counts.')
    : l10n.t('the interval shows no loss that counts.');
  return `${figures} ${verdict} ${attributionSentence(asCounted, attribution)} ${note}`;
}

/** Why there is no comparison without the judge's errors: passages that are gone cannot be judged. */
export function corpusChangedReason(metric: string): string {
  return l10n.t`${metric} cannot be compared without the judge's errors: the corpus changed since the baseline, so that what it ranked can no longer be judged.`;
}

/** The reason of a limit on lost perspectives. @param isOpen whether unjudged passages leave it undecided */
export function lostPerspectivesReason(
  { count: lost, most, unjudged = 0 }: NonNullable<GateCheck['lost']>,
  covered: number,
  isOpen: boolean,
): string {
  if (lost + unjudged === 0)
    return counted(
      l10n.t('All {0} [0:perspective|perspectives] that the baseline covered [0:is|are] covered.'),
      covered,
    );
  const sentence = counted(
    l10n.t('Lost: {0} of the {1} [1:perspective|perspectives] that the baseline covered; allowed: {2}.'),
    lost,
    covered,
    most,
  );
  if (unjudged === 0) return sentence;
  const open = l10n.t`Unknown for ${unjudged} more, because passages of the top k are unjudged for them.`;
  return isOpen ? `${sentence} ${open} ${labelOrJudge()}` : `${sentence} ${open}`;
}

/** Why losses are unknown if a ranking was made by the judge that scores it. */
export function circularLossReason(judge: string): string {
  return `${l10n.t('Which perspectives are lost is not known.')} ${circularText(judge)}`;
}

/** Why a check against the baseline is undecided if a ranking was made by the judge that scores it. */
export function circularReason(
  metric: string,
  judge: string,
  { value, difference, low, high }: FlatDifference,
  now: Measured,
): string {
  const then = percent(value);
  const by = now.bound === 'exact' ? `: ${points(difference)} points [${points(low)}, ${points(high)}]` : '';
  return `${l10n.t`${metric} is ${figureText(now)}, in the baseline ${then}${by}.`} ${circularText(judge)}`;
}

function comparisonVerdict(
  missed: boolean,
  { difference, tolerance }: Pick<FlatDifference, 'difference' | 'tolerance'>,
): string {
  if (missed) return l10n.t('significantly worse');
  if (difference >= 0) return l10n.t('not worse');
  return -difference <= tolerance ? l10n.t('within the tolerance') : l10n.t('not significantly worse');
}

/** Why a figure changed. @param before what it is compared with */
export function attributionSentence(
  difference: number,
  { changes, noise, parts }: Attribution,
  before = l10n.t('the baseline'),
): string {
  if (difference === 0 && changes.length === 0) return l10n.t('Nothing changed.');
  return [
    l10n.t`Changed since ${before}: ${changedThings(changes)}.`,
    ...(parts && parts.judgements !== 0
      ? [
          l10n.t`${points(parts.judgements)} points of the difference come from judgements, and ${points(parts.retrieval)} from retrieval.`,
        ]
      : []),
    ...(noise ? [sentence(noiseText())] : []),
  ].join(' ');
}

function changedThings(changes: Attribution['changes']): string {
  const names = changes.map(changedThing);
  if (names.length === 0) return l10n.t('nothing that is known of');
  return names.length === 1 ? names[0]! : l10n.t`${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
}

function changedThing(change: Attribution['changes'][number]): string {
  switch (change) {
    case 'eval set':
      return l10n.t('the eval set');
    case 'corpus':
      return l10n.t('the corpus');
    case 'pipeline':
      return l10n.t('the pipeline');
    case 'judgements':
      return l10n.t('the judgements');
  }
}

/** A missed check with the value of a query that contributed to it. */
export function missedBy(metrics: Readonly<Record<string, number>>, check: GateCheck): string {
  // The query lists its lost perspectives itself.
  if (check.lost) return checkTitle(check);
  return l10n.t`${checkTitle(check)} (here ${percent(metrics[check.metric] ?? 0)})`;
}

/** Why there is nothing to compare. */
export function nothingShared(dataset: string): string {
  return l10n.t`The baseline shares no question with "${dataset}".`;
}

/** Why there is no comparison with the baseline, and the remedy. @param why a sentence */
export function withRemedy(why: string): string {
  return `${why} ${l10n.t('Accept a new baseline: parallax gate --accept.')}`;
}

/** Why a figure without judgements decides nothing. */
export function unjudgedReason(metric: string): string {
  return `${l10n.t`${metric} cannot be decided: nothing that was retrieved has been judged.`} ${labelOrJudge()}`;
}
