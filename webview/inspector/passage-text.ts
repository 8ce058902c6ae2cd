/** The text of a passage with its evidence marked. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type {
  JudgementView,
  PerspectiveView,
  ResultView,
} from '../../src/features/inspector/contract/panel.ts';
import type { Context } from './draft.ts';
import { excerpt, placeIn, readPassage, readWhole, type ReadPassage } from '../../src/core/snippets.ts';
import type { Rendered } from '../../src/core/split/markdown.ts';
import { isCode } from '../../src/core/text/file-kinds.ts';
import { segments, type EvidenceSpan, type Segment } from '../components/evidence.ts';
import { strings } from './strings.ts';

/** A perspective with the judgement of one passage about it. */
export interface Pair {
  readonly perspective: PerspectiveView;
  readonly judgement: JudgementView;
}

/** The fields of a result that an excerpt needs. */
type Readable = Pick<ResultView, 'text' | 'path' | 'lines'>;

/** A pair for each perspective, in the query's order; pairs without a judgement are unjudged. */
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

export function wholePassage(context: Context, item: ResultView): TemplateResult {
  return passageText(context, item, pairsOf(context, item), true);
}

/** The whole text of a passage, or an excerpt while it is folded. */
export function passageText(
  { state }: Context,
  item: ResultView,
  pairs: readonly Pair[],
  expanded: boolean,
): TemplateResult {
  if (!expanded) return passageExcerpt(item, state.query, pairs);
  const read = wholeOnce(item);
  const pieces = segments(read.text, placed(read, evidenceOf(pairs))).map((segment) =>
    marked(segment, pairs),
  );
  // On one line, because white space in a passage is significant.
  return html`<p class="passage" dir="auto">${pieces}</p>`;
}

/**
 * The part of a passage to show if there is no room for all of it: its evidence, or the part that best matches the
 * question.
 *
 * @param question question whose words are marked
 */
export function passageExcerpt(item: Readable, question: string, pairs: readonly Pair[]): TemplateResult {
  const spans = evidenceOf(pairs);
  const read = readOnce(item, question);
  const evidence = placed(read, spans);
  const window = excerpt(read.text, evidence, read.from);
  const words = read.words.map((span) => ({ ...span, perspective: QUESTION }));
  const pieces = segments(read.text, [...evidence, ...words], window).map((segment) =>
    marked(segment, pairs),
  );
  const style = spans.length > 0 ? 'passage snippet' : 'passage snippet plain';
  return html`<p class=${style} dir="auto">${window.cutBefore ? '… ' : nothing}${pieces}${window.cutAfter ? ' …' : nothing}</p>`; // oxfmt-ignore
}

/** Maps spans of the source to the rendered text. */
function placed(read: Rendered, spans: readonly EvidenceSpan[]): EvidenceSpan[] {
  return spans.map((span) => ({
    ...span,
    start: placeIn(read, span.start),
    end: placeIn(read, span.end),
  }));
}

function evidenceOf(pairs: readonly Pair[]): EvidenceSpan[] {
  return pairs.flatMap(({ judgement }, perspective): EvidenceSpan[] =>
    judgement.verdict === 'yes' ? judgement.evidence.map((span) => ({ ...span, perspective })) : [],
  );
}

/** Marks words of the question instead of evidence. */
const QUESTION = -1;

const alreadyRead = new WeakMap<Readable, { readonly question: string; readonly read: ReadPassage }>();

/** Cached, because every keystroke renders the panel again. */
function readOnce(item: Readable, question: string): ReadPassage {
  const known = alreadyRead.get(item);
  if (known?.question === question) return known.read;
  const read = readPassage(item.text, question, {
    isCode: isCode(item.path),
    isFirst: item.lines?.first === 1,
  });
  alreadyRead.set(item, { question, read });
  return read;
}

const wholes = new WeakMap<Readable, Rendered>();

function wholeOnce(item: Readable): Rendered {
  const known = wholes.get(item);
  if (known) return known;
  const read = readWhole(item.text, item.path);
  wholes.set(item, read);
  return read;
}

/** Marks are nested, one for each perspective; the letters after them identify it. */
function marked({ text, perspectives, ending }: Segment, pairs: readonly Pair[]): TemplateResult | string {
  const [first] = perspectives;
  const plain = first === QUESTION ? html`<b class="asked">${text}</b>` : text;
  const shown = perspectives.filter((index) => index !== QUESTION);
  const inner = shown.reduceRight<TemplateResult | string>((content, index) => {
    const { perspective } = pairs[index]!;
    const title = strings.evidenceFor(perspective.text);
    return html`<mark data-color=${perspective.color} title=${title}>${content}</mark>`;
  }, plain);
  if (shown.length === 0) return inner;
  const letters = ending.flatMap((index) => {
    if (index === QUESTION) return [];
    const { letter: sign, color } = pairs[index]!.perspective;
    return html`<sup class="evidence-letter" data-color=${color}>${sign}</sup>`;
  });
  return html`${inner}${letters}`;
}
