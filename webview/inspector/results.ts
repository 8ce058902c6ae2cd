/** The retrieved passages in rank order, with the perspectives that they support and the judges. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type {
  JudgementView,
  PerspectiveView,
  ResultView,
} from '../../src/features/inspector/contract/panel.ts';
import { letter } from '../components/chip.ts';
import { cut } from '../components/cut.ts';
import { decimals } from '../components/figures.ts';
import { codicon } from '../components/icon.ts';
import { button } from '../components/toolkit.ts';
import { isExpanded, PAGE, toggleExpanded, type Context } from './draft.ts';
import { goToResult, resultId } from './go-to.ts';
import { labelButtons } from './label-buttons.ts';
import { verdictOfKey } from '../components/verdict-keys.ts';
import { firstUnjudged, labelCell } from './labelling.ts';
import { repeatedRank, repeatMark } from './likeness.ts';
import { missingStrings } from './missing/strings.ts';
import { why } from './missing/why.ts';
import { pairsOf, passageText, type Pair } from './passage-text.ts';
import { raisedReason } from './judge-errors/judge-errors.ts';
import { strings } from './strings.ts';
import { tellingTexts } from './perspectives/telling.ts';

type Verdict = JudgementView['verdict'];
export function results(context: Context): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  if (!state.results || state.results.items.length === 0) return nothing;
  const { items } = state.results;
  const format = scoreFormat(items);
  const more = Math.min(PAGE, items.length - draft.shown);
  return html`<section class="results-section" aria-labelledby="results-heading">
    <ol class="results" data-testid="results">
      ${repeat(
        items.slice(0, draft.shown),
        (item) => item.passageId,
        (item) => result(context, item, format),
      )}
    </ol>
    ${
      more > 0
        ? button({
            label: strings.showMore(more),
            testId: 'show-more',
            onClick: () => actions.edit({ shown: draft.shown + PAGE }),
          })
        : nothing
    }
  </section>`;
}

/** The same number of digits for all scores of a list, enough to distinguish those of reciprocal rank fusion. */
function scoreFormat(items: readonly ResultView[]): (score: number) => string {
  const largest = Math.max(...items.map(({ score }) => Math.abs(score)));
  const digits = largest >= 10 ? 2 : largest >= 0.1 ? 3 : 4;
  return decimals(digits);
}

function result(context: Context, item: ResultView, format: (score: number) => string): TemplateResult {
  const { actions } = context;
  const expanded = isExpanded(context, item.passageId);
  const heading = `title-${item.rank}`;
  const body = `body-${item.rank}`;
  return html`<li
    id=${resultId(item.rank)}
    data-testid="result-${item.rank}"
    tabindex="-1"
    aria-labelledby=${heading}
    @keydown=${(event: KeyboardEvent) => onLabelKey(context, item, event)}
  >
    <div class="result-head">
      <button
        class="twistie"
        data-testid="expand-${item.rank}"
        aria-expanded=${expanded}
        aria-controls=${body}
        aria-label=${strings.expand()}
        title=${expanded ? strings.collapse() : strings.expand()}
        @click=${() => toggleExpanded(context, item.passageId)}
      >
        ${codicon(expanded ? 'chevron-down' : 'chevron-right')}
      </button>
      <span class="rank" aria-label=${strings.rank(item.rank)} role="img">${item.rank}</span>
      <div class="grow">
        <h3 id=${heading}>
          <button
            class="title"
            data-testid="open-${item.rank}"
            title=${strings.openPassage(item.fullTitle)}
            dir="auto"
            @click=${() => actions.send({ type: 'open', passageId: item.passageId })}
          >
            ${item.title}
          </button>
        </h3>
        <p class="path muted" title=${item.path + strings.lines(item.lines)}>
          ${cut(item.path, strings.lines(item.lines))}
        </p>
      </div>
      ${movement(item)}
    </div>
    <div class="result-body" id=${body}>
      ${raisedReason(context.state, item)} ${repeatMark(context, item)}
      ${isFolded(context, item, expanded) ? nothing : content(context, item, expanded)}
      ${expanded ? html`<p class="muted">${strings.score(format(item.score))}</p>` : nothing}
    </div>
  </li>`;
}

function isFolded(context: Context, item: ResultView, expanded: boolean): boolean {
  return context.draft.foldRepeats && !expanded && repeatedRank(context, item) !== undefined;
}

function content(context: Context, item: ResultView, expanded: boolean): TemplateResult {
  const pairs = pairsOf(context, item);
  return html`${passageText(context, item, pairs, expanded)}
  ${
    expanded
      ? html`${verdicts(context, item, pairs)}
          <p>${why(context, item.passageId, missingStrings.whyRank(item.rank), `why-rank-${item.rank}`)}</p>`
      : chips(context, item, pairs)
  }`;
}

/** The number of ranks by which a reranker or the what-if moved it. */
function movement({ movement: ranks }: ResultView): TemplateResult | typeof nothing {
  if (ranks === undefined) return nothing;
  const arrow = ranks === 0 ? '=' : `${ranks > 0 ? '▲' : '▼'}${Math.abs(ranks)}`;
  return html`<span
    class="movement muted"
    role="img"
    aria-label=${strings.movement(ranks)}
    title=${strings.movement(ranks)}
    >${arrow}</span
  >`;
}

/**
 * Supported perspectives with their texts; unsure and unjudged ones as letters; unsupported ones only in the matrix.
 */
function chips(context: Context, item: ResultView, pairs: readonly Pair[]): TemplateResult | typeof nothing {
  if (pairs.length === 0) return nothing;
  const of = (verdict: Verdict): Pair[] => pairs.filter(({ judgement }) => judgement.verdict === verdict);
  const supported = of('yes');
  const telling = tellingTexts(pairs.map(({ perspective }) => perspective.text));
  const none = of('no').length === pairs.length;
  return html`<div class="chips">
    ${supported.map((pair) => chip(context, item, pair, telling[pairs.indexOf(pair)]!))}
    ${letterGroup(of('unsure'), strings.verdict('unsure'), 'unsure')}
    ${letterGroup(of('unjudged'), strings.verdict('unjudged'), 'unjudged')}
    ${none ? html`<span class="muted">${strings.supportsNone()}</span>` : nothing}
  </div>`;
}

function chip(
  { actions }: Context,
  item: ResultView,
  { perspective, judgement: { evidenceNotFound } }: Pair,
  telling: string,
): TemplateResult {
  const opens = strings.openEvidence(perspective.letter, perspective.text);
  const label = evidenceNotFound ? `${opens} · ${strings.evidenceNotFound()}` : opens;
  return html`<button
    class="chip"
    data-color=${perspective.color}
    data-testid="chip-${item.rank}-${perspective.id}"
    aria-label=${label}
    title=${label}
    @click=${() => actions.send({ type: 'open', passageId: item.passageId, perspectiveId: perspective.id })}
  >
    <span class="letter" data-color=${perspective.color}>${perspective.letter}</span
    >${evidenceNotFound ? codicon('warning') : nothing}<span class="chip-text" dir="auto">${telling}</span>
  </button>`;
}

function letterGroup(
  pairs: readonly Pair[],
  word: string,
  kind: 'unsure' | 'unjudged',
): TemplateResult | typeof nothing {
  if (pairs.length === 0) return nothing;
  const style = kind === 'unjudged' ? 'dashed' : 'solid';
  return html`<span class="letter-group ${kind}"
    >${pairs.map(({ perspective }) => letter(perspective, style))}<span class="muted">${word}</span></span
  >`;
}

function verdicts(
  context: Context,
  item: ResultView,
  pairs: readonly Pair[],
): TemplateResult | typeof nothing {
  if (pairs.length === 0) return nothing;
  return html`<ul class="verdicts" aria-label=${strings.verdicts()} data-testid="verdicts-${item.rank}">
    ${pairs.map((pair) => verdictRow(context, item, pair))}
  </ul>`;
}

function verdictRow(context: Context, item: ResultView, { perspective, judgement }: Pair): TemplateResult {
  const { verdict, rationale, confidence, evidenceNotFound, pending } = judgement;
  const notes = [
    judgement.source ? strings.saidBy(judgement.source, judgement.judge) : undefined,
    confidence === undefined ? undefined : strings.confidence(confidence),
    evidenceNotFound ? strings.evidenceNotFound() : undefined,
  ].filter((part) => part !== undefined);
  return html`<li data-perspective=${perspective.id}>
    ${letter(perspective, verdict === 'unjudged' ? 'dashed' : 'solid')}
    <div class="grow">
      <p dir="auto">${perspective.text}</p>
      <p class="muted">
        ${
          pending
            ? html`${codicon('loading')} ${strings.judging()}`
            : html`<b>${strings.verdict(verdict)}</b>${notes.map((part) => ` · ${part}`)}`
        }
        ${judgement.evidence.length > 0 ? openEvidence(context, item, perspective) : nothing}
      </p>
      ${rationale ? html`<p class="rationale" dir="auto">${rationale}</p>` : nothing}
      ${labelButtons(context, item, perspective, (choice) =>
        context.actions.send({
          type: 'label',
          passageId: item.passageId,
          perspectiveId: perspective.id,
          verdict: choice,
        }),
      )}
    </div>
  </li>`;
}

function openEvidence(
  { actions }: Context,
  { passageId }: ResultView,
  perspective: PerspectiveView,
): TemplateResult {
  return html`·
    <button
      class="link"
      aria-label=${strings.openEvidenceOf(perspective.letter)}
      @click=${() => actions.send({ type: 'open', passageId, perspectiveId: perspective.id })}
    >
      ${strings.openAtEvidence()}
    </button>`;
}

/**
 * Y, N and U label the focused passage: for the perspective of the focused row, else for the first unjudged one. The
 * focus moves to the passage of the next unjudged pair.
 */
function onLabelKey(context: Context, { rank }: ResultView, event: KeyboardEvent): void {
  const { state, actions } = context;
  const verdict = verdictOfKey(event);
  const column = state.results?.items.findIndex((item) => item.rank === rank) ?? -1;
  const row = rowOf(context, event.target);
  const cell = row === undefined ? firstUnjudged(state, column) : { row, column };
  if (verdict === undefined) return;
  event.preventDefault();
  if (!cell) return actions.announce(strings.allLabelled());
  const next = labelCell(context, cell, verdict);
  if (next.column !== column) goToResult(context, state.results!.items[next.column]!.rank);
}

/** The matrix row of the perspective whose verdict the element belongs to. */
function rowOf({ state }: Context, target: EventTarget | null): number | undefined {
  const id =
    target instanceof Element ? target.closest<HTMLElement>('[data-perspective]')?.dataset : undefined;
  const row = state.perspectives.findIndex((perspective) => perspective.id === id?.['perspective']);
  return row < 0 ? undefined : row;
}
