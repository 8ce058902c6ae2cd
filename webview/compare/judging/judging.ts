/** The unjudged share of the shown figures, a button to judge it, and the result. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type {
  CompareState,
  JudgingScope,
  JudgingView,
} from '../../../src/features/compare/contract/panel.ts';
import { codicon } from '../../components/icon.ts';
import { popover } from '../../components/popover.ts';
import { button } from '../../components/toolkit.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines } from '../outcomes.ts';
import { setOf } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import { judgingWords } from './strings.ts';

/** Empty if nothing is known to be missing and no judging was requested. */
export function judging(context: ComparedContext): TemplateResult | typeof nothing {
  const view = context.state.judging;
  // The judge's answers count only after the pipelines were compared again; until then, the number of unjudged pairs is
  // outdated.
  const counting = view?.report !== undefined && context.state.task !== undefined;
  const lack = view && !counting ? lackOf(context, view) : undefined;
  const again =
    view && !counting && (!lack || !lack.open || needlessPairs(view) > 0) ? againButton(context) : nothing;
  if (!view || (!lack && !view.report && again === nothing)) return nothing;
  return html`<div class="judging" data-testid="judging">
    ${lack ? lackLine(context, view, lack) : nothing} ${view.report ? reportLine(view.report) : nothing}
    ${again}
  </div>`;
}

/** Whether a judge can be asked now about the shown comparison. */
export function canJudge({ judging: view, task }: Pick<CompareState, 'judging' | 'task'>): boolean {
  return view !== undefined && view.blocked === undefined && task === undefined;
}

/** Asks the judge about all or some unjudged pairs. */
export function judgeButton(
  { state, actions }: Pick<ComparedContext, 'state' | 'actions'>,
  scope: JudgingScope,
  testId: string,
): TemplateResult {
  return button({
    label: judgingWords.judgeScope(scope),
    icon: 'law',
    testId,
    disabled: !canJudge(state),
    onClick: () => {
      actions.send({ type: 'judge-figures', scope });
      actions.edit({ popover: undefined });
    },
  });
}

/** Asks a judge whose answers vary once more, if its figures are complete. */
function againButton({ state, actions }: ComparedContext): TemplateResult | typeof nothing {
  const { judging: view } = state;
  if (view?.repeat === undefined || view.blocked) return nothing;
  return button({
    label: judgingWords.judgeAgain(),
    icon: 'law',
    testId: 'judge-again',
    disabled: !canJudge(state),
    onClick: () => actions.send({ type: 'judge-again' }),
  });
}

interface Lack {
  readonly text: string;
  /** Whether there are pairs left to ask about. */
  readonly open: boolean;
}

/** If pairs were not counted, the judged shares of the comparison show whether any are missing. */
function lackOf({ comparison }: ComparedContext, { counted }: JudgingView): Lack | undefined {
  // Nothing was retrieved, so there are no pairs.
  if (counted?.pairs === 0) return undefined;
  if (counted) return { text: judgingWords.unjudgedPairs(counted), open: counted.known < counted.pairs };
  const ran = comparison.datasets.flatMap((dataset) => ranPipelines(setOf(comparison, dataset)));
  if (ran.every(({ judged }) => judged === 1)) return undefined;
  const isAll = ran.every(({ judged }) => judged === 0);
  return { text: isAll ? judgingWords.allUnjudged() : judgingWords.partUnjudged(), open: true };
}

function lackLine(context: ComparedContext, view: JudgingView, { text, open }: Lack): TemplateResult {
  if (!open) return html`<p class="muted" data-testid="all-judged">${text}</p>`;
  const { draft, actions } = context;
  const { blocked } = view;
  const needless = needlessPairs(view);
  return html`<div class="judging-line">
    <p data-testid="unjudged">${needless > 0 ? judgingWords.needlessPairs(needless) : text}</p>
    ${needless > 0 ? nothing : judgeButton(context, 'figures', 'judge-figures')}
    ${
      blocked
        ? html`<p class="muted" data-testid="judging-blocked">${judgingWords.judgingBlocked(blocked)}</p>`
        : popover({
            text: judgingWords.judgeMore(),
            open: draft.popover === 'judging',
            testId: 'judge-more',
            onToggle: (opened) => actions.edit({ popover: opened ? 'judging' : undefined }),
            content: () =>
              html`<p class="muted">${judgingWords.judgeMoreHelp()}</p>
                ${judgeButton(context, 'everything', 'judge-everything')}`,
          })
    }
  </div>`;
}

/** The pairs that a run left unjudged although it settled every figure. */
function needlessPairs({ counted, report }: JudgingView): number {
  return counted && report && report.settled === report.queries ? counted.pairs - counted.known : 0;
}

function reportLine(report: NonNullable<JudgingView['report']>): TemplateResult {
  const incomplete = report.failed > 0 || report.unreadable > 0 || report.stopped;
  return html`<p class=${incomplete ? 'notice' : 'muted'} data-testid="judging-report">
    ${incomplete ? codicon('warning') : nothing}<span>${compareWords.judgingReport(report)}</span>
  </p>`;
}
