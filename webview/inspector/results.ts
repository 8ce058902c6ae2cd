/** The retrieved passages in rank order, with what they support and who says so. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import { VERDICTS } from '../../src/core/model.ts';
import type { JudgementView, PerspectiveView, ResultView } from '../../src/shared/panels/inspector.ts';
import { letter } from '../components/chip.ts';
import { decimals } from '../components/figures.ts';
import { codicon } from '../components/icon.ts';
import { button } from '../components/toolkit.ts';
import { isExpanded, PAGE, toggleExpanded, type Context } from './draft.ts';
import { excerpt, segments, type EvidenceSpan, type Segment } from './evidence.ts';
import { resultId } from './go-to.ts';
import { strings } from './strings.ts';
import { whatIf } from './what-if.ts';

type Verdict = JudgementView['verdict'];
/** A perspective, and what was said about one passage and it. */
interface Pair {
  readonly perspective: PerspectiveView;
  readonly judgement: JudgementView;
}

export function results(context: Context): TemplateResult | typeof nothing {
  const { state, draft, actions } = context;
  if (!state.results || state.results.items.length === 0) return nothing;
  const { items, search, milliseconds, matches, splits = [] } = state.results;
  const format = scoreFormat(items);
  const more = Math.min(PAGE, items.length - draft.shown);
  return html`<section class="results-section" aria-labelledby="results-heading">
    <header>
      <h2 id="results-heading">${strings.results()}</h2>
      <span class="muted grow">${items.length} · ${strings.searchKind(search, milliseconds)}</span>
    </header>
    ${splits.map((split) => html`<p class="muted split" data-testid="split" dir="auto">${strings.split(split)}</p>`)}
    ${matches ? html`<p class="muted" data-testid="matches">${strings.matches(matches)}</p>` : nothing}
    ${whatIf(context)}
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

/** The same number of digits for all scores of a list, enough to tell reciprocal rank fusion's apart. */
function scoreFormat(items: readonly ResultView[]): (score: number) => string {
  const largest = Math.max(...items.map(({ score }) => Math.abs(score)));
  const digits = largest >= 10 ? 2 : largest >= 0.1 ? 3 : 4;
  return decimals(digits);
}

function result(context: Context, item: ResultView, format: (score: number) => string): TemplateResult {
  const { actions } = context;
  const expanded = isExpanded(context, item.passageId);
  const pairs = pairsOf(context, item);
  const heading = `title-${item.rank}`;
  const body = `body-${item.rank}`;
  return html`<li
    id=${resultId(item.rank)}
    data-testid="result-${item.rank}"
    tabindex="-1"
    aria-labelledby=${heading}
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
            title=${strings.openPassage(item.title)}
            dir="auto"
            @click=${() => actions.send({ type: 'open', passageId: item.passageId })}
          >
            ${item.title}
          </button>
        </h3>
        <p class="path muted" title=${strings.place(item.path, item.lines)}>
          <bdi dir="ltr">${strings.place(item.path, item.lines)}</bdi>
        </p>
      </div>
      ${movement(item)}
      <span class="score muted" title=${strings.score(format(item.score))}
        ><span class="sr-only">${strings.score(format(item.score))}</span
        ><span aria-hidden="true">${format(item.score)}</span></span
      >
    </div>
    <div class="result-body" id=${body}>
      ${passageText(item, pairs, expanded)}
      ${expanded ? verdicts(context, item, pairs) : chips(context, item, pairs)}
    </div>
  </li>`;
}

/** How far a reranker or the what-if carried it. */
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

function pairsOf({ state }: Context, item: ResultView): Pair[] {
  const judgements = new Map(item.judgements.map((judgement) => [judgement.perspectiveId, judgement]));
  return state.perspectives.map((perspective) => ({
    perspective,
    judgement: judgements.get(perspective.id) ?? {
      perspectiveId: perspective.id,
      verdict: 'unjudged',
      evidence: [],
    },
  }));
}

function passageText(item: ResultView, pairs: readonly Pair[], expanded: boolean): TemplateResult {
  const spans = pairs.flatMap(({ judgement }, perspective): EvidenceSpan[] =>
    judgement.verdict === 'yes' ? judgement.evidence.map((span) => ({ ...span, perspective })) : [],
  );
  const whole = { start: 0, end: item.text.length, cutBefore: false, cutAfter: false };
  const window = expanded ? whole : excerpt(item.text, spans);
  const pieces = segments(item.text, spans, window).map((segment) => marked(segment, pairs));
  // One line, since a passage's white space counts.
  const style = expanded ? 'passage' : spans.length > 0 ? 'passage snippet' : 'passage snippet plain';
  return html`<p class=${style} dir="auto">${window.cutBefore ? '… ' : nothing}${pieces}${window.cutAfter ? ' …' : nothing}</p>`; // prettier-ignore
}

/** Marks nest, one for each perspective, so that every one draws its own underline. */
function marked({ text, perspectives, ending }: Segment, pairs: readonly Pair[]): TemplateResult | string {
  if (perspectives.length === 0) return text;
  const inner = perspectives.reduceRight<TemplateResult | string>((content, index, depth) => {
    const { perspective } = pairs[index]!;
    const title = strings.evidenceFor(perspective.text);
    return html`<mark data-color=${perspective.color} data-depth=${Math.min(depth, 3)} title=${title}
      >${content}</mark
    >`;
  }, text);
  const letters = ending.map((index) => {
    const { letter: sign, color } = pairs[index]!.perspective;
    return html`<sup class="evidence-letter" data-color=${color}>${sign}</sup>`;
  });
  return html`${inner}${letters}`;
}

/** Supported perspectives with their words; unsure and unjudged ones as letters; refused ones are left to the matrix. */
function chips(context: Context, item: ResultView, pairs: readonly Pair[]): TemplateResult | typeof nothing {
  if (pairs.length === 0) return nothing;
  const of = (verdict: Verdict): Pair[] => pairs.filter(({ judgement }) => judgement.verdict === verdict);
  const supported = of('yes');
  const none = of('no').length === pairs.length;
  return html`<div class="chips">
    ${supported.map(({ perspective }) => chip(context, item, perspective))}
    ${letterGroup(of('unsure'), strings.verdict('unsure'), 'unsure')}
    ${letterGroup(of('unjudged'), strings.verdict('unjudged'), 'unjudged')}
    ${none ? html`<span class="muted">${strings.supportsNone()}</span>` : nothing}
  </div>`;
}

function chip({ actions }: Context, item: ResultView, perspective: PerspectiveView): TemplateResult {
  const label = strings.openEvidence(perspective.letter, perspective.text);
  return html`<button
    class="chip"
    data-color=${perspective.color}
    data-testid="chip-${item.rank}-${perspective.id}"
    aria-label=${label}
    title=${label}
    @click=${() => actions.send({ type: 'open', passageId: item.passageId, perspectiveId: perspective.id })}
  >
    <span class="letter" data-color=${perspective.color}>${perspective.letter}</span
    ><span class="chip-text" dir="auto">${perspective.text}</span>
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
  const { verdict, rationale, confidence, pending } = judgement;
  const said = [
    judgement.source ? strings.saidBy(judgement.source, judgement.judge) : undefined,
    confidence === undefined ? undefined : strings.confidence(confidence),
  ].filter((part) => part !== undefined);
  return html`<li>
    ${letter(perspective, verdict === 'unjudged' ? 'dashed' : 'solid')}
    <div class="grow">
      <p dir="auto">${perspective.text}</p>
      <p class="muted">
        ${
          pending
            ? html`${codicon('loading')} ${strings.judging()}`
            : html`<b>${strings.verdict(verdict)}</b>${said.map((part) => ` · ${part}`)}`
        }
        ${judgement.evidence.length > 0 ? openEvidence(context, item, perspective) : nothing}
      </p>
      ${rationale ? html`<p class="rationale" dir="auto">${rationale}</p>` : nothing}
      ${labelButtons(context, item, perspective, judgement)}
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

function labelButtons(
  { actions }: Context,
  item: ResultView,
  perspective: PerspectiveView,
  judgement: JudgementView,
): TemplateResult {
  const { passageId } = item;
  const byHuman = judgement.source === 'human' ? judgement.verdict : undefined;
  return html`<div class="segmented" role="group" aria-label=${strings.yourVerdict(perspective.letter)}>
    ${VERDICTS.map(
      (verdict) =>
        html`<button
          aria-pressed=${byHuman === verdict}
          data-testid="label-${item.rank}-${perspective.id}-${verdict}"
          @click=${() => actions.send({ type: 'label', passageId, perspectiveId: perspective.id, verdict })}
        >
          ${strings.verdictChoice(verdict)}
        </button>`,
    )}
  </div>`;
}
