/** Looking deeper for a perspective: the button and the results, which can be opened, explained and labelled. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { VERDICTS } from '../../../src/core/words.ts';
import type {
  DeeperPassage,
  InspectorState,
  PerspectiveView,
} from '../../../src/features/inspector/contract/panel.ts';
import type { PerspectiveCoverage } from '../../../src/core/coverage-states.ts';
import { cut } from '../../components/cut.ts';
import { codicon } from '../../components/icon.ts';
import { isRunning, type Context } from '../draft.ts';
import { missingStrings } from '../missing/strings.ts';
import { passageExcerpt } from '../passage-text.ts';
import { deeperStrings as strings } from './strings.ts';
import { strings as panelStrings } from '../strings.ts';

type Deeper = NonNullable<InspectorState['results']>['deeper'][number];

/**
 * The most supporting passages that are listed; the rest is counted, because more would push the answer off the screen.
 */
const MAX_SUPPORTING = 3;

/** The button beside a perspective that no retrieved passage is known to support. */
export function lookDeeper(
  { state, actions }: Context,
  { id, letter, document }: PerspectiveView,
  coverage: PerspectiveCoverage | undefined,
): TemplateResult | typeof nothing {
  const { results } = state;
  // Whether an expected document is found does not depend on judgements.
  if (document !== undefined) return nothing;
  if (!results || (coverage?.where !== 'unjudged' && coverage?.where !== 'not-found')) return nothing;
  const { canJudge, label } = state.judge;
  return html`<button
    class="link look-deeper"
    data-testid="look-deeper-${id}"
    title=${strings.buttonHint(letter, canJudge ? label : undefined, results.lookDeeperPassages)}
    ?disabled=${isRunning(state, 'deeper') || results.stale}
    @click=${() => actions.send({ type: 'look-deeper', perspectiveId: id })}
  >
    ${codicon('search')}${strings.button()}
  </button>`;
}

/** The results, below a perspective that the top k do not cover. */
export function foundDeeper(
  context: Context,
  perspective: PerspectiveView,
  coverage: PerspectiveCoverage | undefined,
): TemplateResult | typeof nothing {
  if (!coverage || coverage.where === 'covered') return nothing;
  const probe = context.state.results?.deeper.find(({ perspectiveId }) => perspectiveId === perspective.id);
  if (!probe) return nothing;
  return html`<div class="deeper">${foundPassages(context, perspective, probe)}</div>`;
}

function foundPassages(
  context: Context,
  perspective: PerspectiveView,
  { passages, ...all }: Deeper,
): TemplateResult {
  if (passages.length === 0)
    return html`<p class="muted">${strings.nothingFound()}</p>
      ${handOver(context, perspective)}`;
  const supporting = passages.filter(({ verdict }) => verdict === 'yes');
  const open = passages.filter(({ verdict }) => verdict !== 'yes' && verdict !== 'no');
  // Once a passage supports the perspective, the others need no labels.
  const shown = supporting.length > 0 ? supporting.slice(0, MAX_SUPPORTING) : open;
  const rest = [
    strings.alsoSupporting(supporting.length > 0 ? supporting.length - shown.length : 0),
    strings.leftOpen(all.unjudged - (supporting.length > 0 ? 0 : unjudgedIn(open))),
    strings.unsure(unsureBeyond(all, supporting.length, shown)),
    strings.refused(all.refused),
  ].filter((sentence) => sentence !== undefined);
  return html`<details data-testid="deeper-${perspective.id}" open>
    <summary>${strings.heading(all.found - all.unjudged, all.found)}</summary>
    <ol>
      ${shown.map((passage, place) => passageRow(context, perspective, passage, place))}
    </ol>
    ${rest.length === 0 ? nothing : html`<p class="muted">${rest.join(' ')}</p>`}
    ${handOver(context, perspective)}
  </details>`;
}

/** A further step, offered once the own search has results: the first screen has no word of agents. */
function handOver({ actions }: Context, { id, letter: mark }: PerspectiveView): TemplateResult {
  return html`<button
    class="link"
    data-testid="hand-over-${id}"
    title=${missingStrings.handOverLost(mark)}
    @click=${() => actions.send({ type: 'hand-over', perspectiveId: id })}
  >
    ${missingStrings.handOver()}
  </button>`;
}

/** The number of results that a judge was unsure about, beyond the listed ones. */
function unsureBeyond(
  all: Omit<Deeper, 'passages'>,
  supporting: number,
  shown: readonly DeeperPassage[],
): number {
  const listed = shown.filter(({ verdict }) => verdict === 'unsure').length;
  return all.found - all.unjudged - all.refused - supporting - listed;
}

const unjudgedIn = (passages: readonly DeeperPassage[]): number =>
  passages.filter(({ verdict }) => verdict === 'unjudged').length;

function passageRow(
  { state, actions }: Context,
  perspective: PerspectiveView,
  passage: DeeperPassage,
  place: number,
): TemplateResult {
  const { id } = perspective;
  const { passageId, title, path, lines, rank, ranks, verdict, evidence } = passage;
  const judgement = { perspectiveId: id, verdict, evidence };
  const searches = ranks.toSorted((a, b) => a.rank - b.rank).map(strings.foundBy);
  const here = rank === undefined ? strings.outside(state.results?.candidates ?? 0) : strings.candidate(rank);
  return html`<li data-testid="deeper-${id}-${place}">
    <button
      class="link"
      dir="auto"
      title=${strings.open(title)}
      @click=${() => actions.send({ type: 'open', passageId, perspectiveId: id })}
    >
      ${title}
    </button>
    <p class="path muted" title=${path + panelStrings.lines(lines)}>
      ${cut(path, panelStrings.lines(lines))}
    </p>
    ${passageExcerpt(passage, perspective.text, [{ perspective, judgement }])}
    <span class="muted" title=${searches.join('\n')}
      >${[strings.verdict(verdict), here, ...searches.slice(0, 1)].join(' · ')}</span
    >
    ${
      verdict === 'yes' || verdict === 'no'
        ? nothing
        : html`<span class="segmented" role="group" aria-label=${title}>
            ${VERDICTS.map(
              (choice) =>
                html`<button
                  aria-label=${strings.label(title, panelStrings.verdictChoice(choice))}
                  data-testid="deeper-label-${id}-${place}-${choice}"
                  @click=${() => actions.send({ type: 'label', passageId, perspectiveId: id, verdict: choice })}
                >
                  ${panelStrings.verdictChoice(choice)}
                </button>`,
            )}
          </span>`
    }
  </li>`;
}
