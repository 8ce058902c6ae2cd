/** The likeness of the passages, which does not depend on judgements: their origins, similarities and themes. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { ResultView } from '../../src/features/inspector/contract/panel.ts';
import type { LikenessView, ThemeView } from '../../src/shared/likeness.ts';
import { HASHED_WORDS } from '../../src/core/embedding/built-in.ts';
import { button } from '../components/toolkit.ts';
import type { Context } from './draft.ts';
import { goToResult } from './go-to.ts';
import { likenessStrings as strings } from './likeness-strings.ts';

/** Empty until it is known, shortly after the passages. */
export function likeness(context: Context): TemplateResult | typeof nothing {
  const { results } = context.state;
  if (!results || results.items.length === 0) return nothing;
  const { likeness: view, likenessProblem: problem } = results;
  if (!view && problem === undefined) return nothing;
  return html`<section class="likeness-section" aria-labelledby="likeness-heading" data-testid="likeness">
    <header>
      <h2 id="likeness-heading">${strings.heading()}</h2>
      <span class="muted grow">${strings.note()}</span>
    </header>
    ${problem === undefined ? nothing : html`<p class="muted">${strings.problem(problem)}</p>`}
    ${view ? [facts(view), repeatsButton(context), themes(context, view), moreFields(context, view)] : nothing}
  </section>`;
}

interface Fact {
  readonly testId: string;
  readonly text: string;
  /** Its meaning, or a value to compare it with. */
  readonly notes: readonly string[];
}

function facts(view: LikenessView): TemplateResult {
  return html`<ul class="facts">
    ${factsOf(view).map(
      ({ testId, text, notes }) =>
        html`<li data-testid=${testId}>
          <b>${text}</b>
          ${notes.map((note) => html`<p class="muted">${note}</p>`)}
        </li>`,
    )}
  </ul>`;
}

/** The most names that are readable at a glance. */
const MAX_NAMES = 12;

/** Fields that could be counted but are not, and a button to choose. */
function moreFields(
  { actions }: Context,
  { fields, foundFields }: LikenessView,
): TemplateResult | typeof nothing {
  if (foundFields.length === 0) return nothing;
  const more = foundFields.filter((name) => !fields.some((field) => field.name === name));
  return html`<p class="muted" data-testid="more-fields">
    ${more.length > 0 ? strings.moreFields(more.slice(0, MAX_NAMES)) : nothing}
    <button
      class="link"
      data-testid="choose-fields"
      title=${strings.chooseFieldsHint()}
      @click=${() => actions.send({ type: 'choose-fields' })}
    >
      ${strings.chooseFields()}
    </button>
  </p>`;
}

function factsOf(view: LikenessView): Fact[] {
  const { spreads, repeats } = view;
  const documents = {
    testId: 'from-documents',
    text: strings.documents(view),
    notes: [strings.documentsNote(view)],
  };
  const folders = { testId: 'from-folders', text: strings.folders(view), notes: [strings.foldersNote(view)] };
  const sections = {
    testId: 'from-sections',
    text: strings.sections(view),
    notes: [strings.sectionsNote(view)],
  };
  return [
    documents,
    // A single folder has no spread.
    ...(spreads.folders.candidates > 1 ? [folders] : []),
    ...(spreads.sections.candidates > 1 ? [sections] : []),
    ...view.fields.map((field, place) => ({
      testId: `from-field-${place}`,
      text: strings.field(field),
      notes: [strings.fieldNote(field, view)],
    })),
    {
      testId: 'repeats',
      text: strings.repeats(repeats.length),
      notes: [repeats.length > 0 ? strings.repeatsNote() : strings.noRepeatsNote()],
    },
    ...varietyOf(view),
  ];
}

/** Left out for similarity by spelling, where the figure is high for any passages. */
function varietyOf(view: LikenessView): Fact[] {
  if (view.embedder === HASHED_WORDS || view.passages < 2) return [];
  return [{ testId: 'variety', text: strings.variety(view), notes: [strings.varietyNote(view)] }];
}

/** Only groups that are clearly separate and have distinctive words. */
function themes(context: Context, view: LikenessView): TemplateResult | typeof nothing {
  const { rest, clear } = view.themes;
  const larger = view.themes.larger.filter(({ terms }) => terms.length > 0);
  if (!clear || larger.length === 0) return nothing;
  const inTop = larger.filter(({ top }) => top > 0).length;
  return html`<div class="themes" data-testid="themes">
    <h3 id="themes-heading">${strings.themes(inTop, larger.length)}</h3>
    <p class="muted">${strings.themesNote(view)}</p>
    <ul aria-labelledby="themes-heading">
      ${larger.map((theme, place) => themeRow(context, theme, place))}
    </ul>
    ${rest.passages > 0 ? html`<p class="muted">${strings.rest(rest)}</p>` : nothing}
  </div>`;
}

function themeRow({ actions }: Context, theme: ThemeView, place: number): TemplateResult {
  const { terms, nearest, passages, top } = theme;
  return html`<li class=${top === 0 ? 'absent' : ''} data-testid="theme-${place}">
    <button
      class="title"
      dir="auto"
      title=${strings.themeHint(theme)}
      @click=${() => actions.send({ type: 'open', passageId: nearest.passageId })}
    >
      ${terms.join(' · ')}
    </button>
    <span class="muted">${strings.themeShare(theme)}</span>
    <span class="dots" aria-hidden="true"
      >${Array.from({ length: passages }, (_, n) => html`<i class=${n < top ? 'full' : ''}></i>`)}</span
    >
  </li>`;
}

/** The rank of the passage that this one repeats. `undefined` if it repeats none. */
export function repeatedRank({ state }: Context, { passageId }: ResultView): number | undefined {
  const of = state.results?.likeness?.repeats.find((repeat) => repeat.passageId === passageId)?.of;
  return of === undefined ? undefined : state.results?.items.find((item) => item.passageId === of)?.rank;
}

/** A link to the earlier passage that this one repeats. */
export function repeatMark(context: Context, item: ResultView): TemplateResult | typeof nothing {
  const rank = repeatedRank(context, item);
  if (rank === undefined) return nothing;
  return html`<p class="repeat" data-testid="repeat-${item.rank}">
    <button class="link" @click=${() => goToResult(context, rank)}>${strings.repeatOf(rank)}</button>
  </p>`;
}

/** Folds or unfolds the passages that repeat others. */
function repeatsButton({ state, draft, actions }: Context): TemplateResult | typeof nothing {
  if (!state.results?.likeness?.repeats.length) return nothing;
  return button({
    label: draft.foldRepeats ? strings.showRepeats() : strings.foldRepeats(),
    testId: 'fold-repeats',
    onClick: () => actions.edit({ foldRepeats: !draft.foldRepeats }),
  });
}
