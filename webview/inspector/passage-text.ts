/** The text of a passage with its evidence marked. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { JudgementView, PerspectiveView, ResultView } from '../../src/shared/panels/inspector.ts';
import type { Context } from './draft.ts';
import { excerpt, segments, type EvidenceSpan, type Segment } from './evidence.ts';
import { strings } from './strings.ts';

/** A perspective, and what was said about one passage and it. */
export interface Pair {
  readonly perspective: PerspectiveView;
  readonly judgement: JudgementView;
}

/** A pair for each perspective, in the query's order; those that nobody judged are unjudged. */
export function pairsOf({ state }: Context, item: ResultView): Pair[] {
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

/** All of a passage. */
export function wholePassage(context: Context, item: ResultView): TemplateResult {
  return passageText(item, pairsOf(context, item), true);
}

/** All of a passage, or the part to read while it is folded. */
export function passageText(item: ResultView, pairs: readonly Pair[], expanded: boolean): TemplateResult {
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
