/** The perspectives of the query: the passages that cover each, or where it is lost, and a form to edit them. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { PerspectiveView } from '../../../src/features/inspector/contract/panel.ts';
import type { PerspectiveCoverage } from '../../../src/core/coverage-states.ts';
import { letter } from '../../components/chip.ts';
import { codicon, type Codicon } from '../../components/icon.ts';
import { button, iconButton, textArea } from '../../components/toolkit.ts';
import { editedPerspectives, isRunning, MAX_PERSPECTIVES, type Context } from '../draft.ts';
import { goToResult } from '../go-to.ts';
import { foundDeeper, lookDeeper } from '../deeper/look-deeper.ts';
import { proposed } from '../deeper/proposed.ts';
import { coverageHeading, judgedBy, nextStep } from './coverage.ts';
import { missingStrings } from '../missing/strings.ts';
import { why } from '../missing/why.ts';
import { strings } from '../strings.ts';
import { tellingTexts } from './telling.ts';

const LONGEST = 2000;

export function perspectives(context: Context): TemplateResult | typeof nothing {
  const { state } = context;
  const edited = editedPerspectives(context);
  const isNone = state.perspectives.length === 0 && !edited && !state.proposed;
  if (state.query === '' || isNone) return nothing;
  return html`<section class="perspectives-section" aria-labelledby="perspectives-heading">
    <header>
      <h2 id="perspectives-heading" class="grow">
        ${edited ? strings.perspectives() : coverageHeading(state)}
      </h2>
      ${edited || state.perspectives.length === 0 ? nothing : headerActions(context)}
    </header>
    ${edited ? editor(context, edited) : [judgedBy(context), list(context), nextStep(context), proposed(context)]}
  </section>`;
}

function headerActions(context: Context): TemplateResult {
  return html`${addToEvalSet(context)} ${suggestIcon(context)}
  ${iconButton({
    label: strings.editPerspectives(),
    icon: 'edit',
    testId: 'edit-perspectives',
    onClick: () => startEditing(context),
  })}`;
}

function addToEvalSet({ actions }: Context): TemplateResult {
  return iconButton({
    label: strings.addToEvalSet(),
    icon: 'beaker',
    testId: 'add-to-eval-set',
    onClick: () => actions.send({ type: 'add-to-eval-set' }),
  });
}

function suggestIcon({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.judge.canGenerate) return nothing;
  return iconButton({
    label: strings.suggestPerspectives(state.judge.generator),
    icon: 'sparkle',
    testId: 'suggest-perspectives',
    disabled: isRunning(state, 'generate'),
    onClick: () => actions.send({ type: 'generate-perspectives', query: state.query }),
  });
}

/** Below the sentence about the passages of a question without perspectives: ways to add some. */
export function offer(context: Context): TemplateResult | typeof nothing {
  const { state, actions } = context;
  const isOffered = state.query !== '' && state.perspectives.length === 0 && !state.proposed;
  if (!isOffered || editedPerspectives(context)) return nothing;
  return html`<div class="buttons" title=${strings.noPerspectives()}>
    ${button({
      label: strings.addPerspectives(),
      testId: 'add-perspectives',
      onClick: () => startEditing(context),
    })}
    ${
      state.judge.canGenerate
        ? button({
            label: strings.suggestPerspectives(state.judge.generator),
            icon: 'sparkle',
            testId: 'suggest-perspectives',
            disabled: isRunning(state, 'generate'),
            onClick: () => actions.send({ type: 'generate-perspectives', query: state.query }),
          })
        : nothing
    }
  </div>`;
}

/**
 * The most missing perspectives shown with their whole text and the reason in a narrow side bar; the others have one
 * line.
 */
const MAX_MISSING = 2;

function list(context: Context): TemplateResult {
  const { perspectives: all, results } = context.state;
  const coverage = new Map(results?.coverage.map((one) => [one.perspectiveId, one]));
  const telling = tellingTexts(all.map(({ text }) => text));
  const missing = all.filter(({ id }) => isMissing(coverage.get(id))).slice(0, MAX_MISSING);
  return html`<ul class="perspectives">
    ${all.map((perspective, place) =>
      row(context, perspective, {
        coverage: coverage.get(perspective.id),
        telling: telling[place]!,
        inFull: missing.includes(perspective),
      }),
    )}
  </ul>`;
}

function isMissing(coverage: PerspectiveCoverage | undefined): boolean {
  return coverage !== undefined && coverage.where !== 'covered' && coverage.where !== 'unjudged';
}

interface Row {
  readonly coverage: PerspectiveCoverage | undefined;
  /** The text of a one-line row. */
  readonly telling: string;
  readonly inFull: boolean;
}

function row(
  context: Context,
  perspective: PerspectiveView,
  { coverage, telling, inFull }: Row,
): TemplateResult {
  const { id, text } = perspective;
  return html`<li class=${inFull ? 'in-full' : ''} data-testid="perspective-${id}">
    ${letter(perspective)}
    <div>
      <p dir="auto" title=${text}>
        ${
          telling === text
            ? text
            : html`<span class="telling" aria-hidden="true">${telling}</span
                ><span class="whole">${text}</span>`
        }
      </p>
      <div class="muted perspective-state">
        ${coverage ? coverageState(context, perspective, coverage) : nothing}
        ${lookDeeper(context, perspective, coverage)}
      </div>
      ${foundDeeper(context, perspective, coverage)}
    </div>
  </li>`;
}

const COVERAGE_ICONS: Record<PerspectiveCoverage['where'], Codicon> = {
  covered: 'check',
  'below-k': 'arrow-down',
  'not-retrieved': 'search-stop',
  unjudged: 'question',
  'not-found': 'question',
};

function coverageState(
  context: Context,
  perspective: PerspectiveView,
  coverage: PerspectiveCoverage,
): TemplateResult {
  const { state, actions } = context;
  const text = strings.coverage(coverage, state.results?.metrics.k ?? 0);
  const open = (passageId: string): void =>
    actions.send({ type: 'open', passageId, perspectiveId: perspective.id });
  const place = coverage.where;
  const supporter = 'passageId' in coverage ? coverage.passageId : undefined;
  const lost = place === 'covered' ? undefined : (perspective.document ?? supporter);
  return html`<span class="coverage ${place}" title=${text}
    >${codicon(COVERAGE_ICONS[place])}<span class="short" aria-hidden="true"
      >${strings.shortCoverage(coverage)}</span
    ><span class="long"
      >${
        coverage.where === 'covered'
          ? html`<button
              class="link quiet"
              title=${strings.goToRank(coverage.rank)}
              @click=${() => goToResult(context, coverage.rank)}
            >
              ${text}
            </button>`
          : text
      }${
        'passageId' in coverage
          ? html` <button
              class="link"
              data-testid="open-lost-${perspective.id}"
              aria-label=${strings.openLost(perspective.letter)}
              @click=${() => open(coverage.passageId)}
            >
              ${strings.open()}
            </button>`
          : nothing
      }
      ${lost === undefined ? nothing : why(context, lost, missingStrings.whyLost(perspective.letter), `why-${perspective.id}`)}</span
    ></span
  >`;
}

function startEditing({ state, actions }: Context): void {
  const texts = state.perspectives.map(({ text }) => text);
  actions.edit({ perspectives: { query: state.query, texts: texts.length > 0 ? texts : [''] } });
  focusField(0);
}

function editor(context: Context, texts: readonly string[]): TemplateResult {
  const { actions } = context;
  return html`<div class="perspective-editor" data-testid="perspective-editor">
    <p class="muted">${strings.perspectivesHelp()}</p>
    <ol>
      ${texts.map((text, index) => field(context, texts, text, index))}
    </ol>
    <div class="buttons">
      ${button({
        label: strings.savePerspectives(),
        primary: true,
        testId: 'save-perspectives',
        onClick: () => save(context, texts),
      })}
      ${button({
        label: strings.cancelEdit(),
        testId: 'cancel-perspectives',
        onClick: () => actions.edit({ perspectives: undefined }),
      })}
      ${button({
        label: strings.addPerspective(),
        icon: 'add',
        testId: 'add-perspective',
        disabled: texts.length >= MAX_PERSPECTIVES,
        onClick: () => change(context, [...texts, ''], texts.length),
      })}
    </div>
  </div>`;
}

function field(context: Context, texts: readonly string[], text: string, index: number): TemplateResult {
  const name = String(index + 1);
  return html`<li>
    ${textArea({
      label: strings.perspectiveField(name),
      value: text,
      placeholder: strings.perspectivePlaceholder(),
      testId: `perspective-text-${index}`,
      onInput: (value) => change(context, texts.with(index, value)),
      onKeydown: (event) => onKeydown(context, texts, index, event),
      onPaste: (event) => onPaste(context, texts, index, event),
    })}
    ${iconButton({
      label: strings.removePerspective(name),
      icon: 'trash',
      testId: `remove-perspective-${index}`,
      onClick: () => change(context, texts.toSpliced(index, 1), Math.max(0, index - 1)),
    })}
  </li>`;
}

function change({ state, actions }: Context, texts: readonly string[], focus?: number): void {
  actions.edit({ perspectives: { query: state.query, texts: texts.length > 0 ? texts : [''] } });
  if (focus !== undefined) focusField(focus);
}

/** Enter goes to the next statement, and creates one after the last. Escape cancels. */
function onKeydown(context: Context, texts: readonly string[], index: number, event: KeyboardEvent): void {
  if (event.isComposing || event.shiftKey) return;
  if (event.key === 'Escape') context.actions.edit({ perspectives: undefined });
  if (event.key !== 'Enter') return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) return save(context, texts);
  const next = index + 1 < texts.length || texts.length >= MAX_PERSPECTIVES ? texts : [...texts, ''];
  change(context, next, Math.min(index + 1, next.length - 1));
}

/** Splits pasted lines into statements. */
function onPaste(context: Context, texts: readonly string[], index: number, event: ClipboardEvent): void {
  const lines = statements((event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/u));
  if (lines.length < 2) return;
  event.preventDefault();
  const before = texts[index]!.trim() === '' ? [] : [texts[index]!];
  const next = texts.toSpliced(index, 1, ...before, ...lines).slice(0, MAX_PERSPECTIVES);
  change(context, next, Math.min(index + before.length + lines.length, next.length) - 1);
}

function save({ actions }: Context, texts: readonly string[]): void {
  actions.send({ type: 'set-perspectives', texts: statements(texts) });
  actions.edit({ perspectives: undefined });
}

/** Trimmed, without empty statements, list marks and duplicates. */
function statements(lines: readonly string[]): string[] {
  const texts = lines.map((line) =>
    line
      .trim()
      .replace(/^(?:[-*•]|\d+[.)])\s+/u, '')
      .slice(0, LONGEST),
  );
  return [...new Set(texts)].filter(Boolean);
}

/** Focuses a field that the last change may have created. */
function focusField(index: number): void {
  document.querySelector<HTMLElement>(`[data-testid="perspective-text-${index}"]`)?.focus();
}
