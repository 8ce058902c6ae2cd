/** The set-up of a comparison: data sets, judge, depth, and the pipelines in their order. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { repeat } from 'lit/directives/repeat.js';
import type { CompareState } from '../../../src/features/compare/contract/panel.ts';
import { taskProgress } from '../../components/frame.ts';
import { codicon } from '../../components/icon.ts';
import { judgePicker } from '../../components/judge-picker.ts';
import { button, dropdown, numberField } from '../../components/toolkit.ts';
import type { Context } from '../draft.ts';
import { compareWords } from '../strings.ts';
import { missingIndexes } from './chosen-sets.ts';
import { MAX_CHOSEN, movedBy, movedTo, toggled } from './chosen.ts';
import { earlier } from './earlier.ts';
import { setPicker } from './set-picker.ts';
import { showable } from './showable.ts';
import { setupWords } from './strings.ts';

export function canRun(state: CompareState): boolean {
  const { chosen, chosenSets, task } = state;
  return (
    chosen.length > 0 && chosenSets.length > 0 && missingIndexes(state).length === 0 && task === undefined
  );
}

export function head(context: Context): TemplateResult {
  const { state, actions } = context;
  return html`<section class="setup" aria-label=${setupWords.setup()}>
    <div class="setup-fields">
      ${setPicker(context)}
      ${judgePicker(state.judge, actions, (name) => actions.send({ type: 'set-judge', name }))}
      ${baselinePicker(context)}
      ${numberField({
        label: setupWords.k(),
        value: state.k,
        min: 1,
        max: 1000,
        testId: 'k',
        onChange: (k) => actions.send({ type: 'set-k', k }),
      })}
      ${button({
        label: state.shown === undefined ? setupWords.run() : compareWords.runAgain(),
        icon: 'play',
        primary: true,
        disabled: !canRun(state),
        testId: 'compare-run',
        onClick: () => actions.send({ type: 'run' }),
      })}
      ${earlier(context)}
    </div>
    ${showable(state)} ${pipelineChoice(context)}
  </section>`;
}

/** The running work with a cancel button. */
export function progress({ state, actions }: Context): TemplateResult | typeof nothing {
  if (!state.task) return nothing;
  return html`<div class="tasks" data-testid="compare-task">
    ${taskProgress(state.task, 'cancel', () => actions.send({ type: 'cancel' }))}
  </div>`;
}

/** The baseline is the first chosen pipeline, so choosing another one moves it to the front. */
function baselinePicker({ state, actions }: Context): TemplateResult | typeof nothing {
  const [baseline] = state.chosen;
  if (baseline === undefined) return nothing;
  return dropdown({
    label: setupWords.baseline(),
    value: baseline,
    choices: state.chosen.map((name) => ({ value: name, label: name })),
    testId: 'baseline-picker',
    onChange: (name) => actions.send({ type: 'set-pipelines', names: movedTo(state.chosen, name, 0) }),
  });
}

function pipelineChoice(context: Context): TemplateResult {
  const { state } = context;
  const known = new Map(state.pipelines.map((one) => [one.name, one]));
  const otherNames = state.pipelines.map(({ name }) => name).filter((name) => !state.chosen.includes(name));
  return html`<div class="pipelines-choice">
    <div class="pipelines-head">
      <h2 id="pipelines-heading">${setupWords.pipelines()}</h2>
      <span class="muted">${setupWords.chosenOf(state.chosen.length, state.pipelines.length)}</span>
      <span class="muted pipelines-help" id="pipelines-help">${setupWords.pipelinesHelp()}</span>
    </div>
    <ol class="pipelines" aria-labelledby="pipelines-heading">
      ${repeat(
        [...state.chosen, ...otherNames],
        (name) => name,
        (name) => pipelineChip(context, name, known.get(name)?.label ?? name),
      )}
    </ol>
  </div>`;
}

function pipelineChip(context: Context, name: string, label: string): TemplateResult {
  const { state, draft, actions } = context;
  const place = state.chosen.indexOf(name);
  const chosen = place >= 0;
  return html`<li
    class=${draft.dragged === name ? 'dragged' : ''}
    draggable=${chosen}
    @dragstart=${(event: DragEvent) => startDrag(context, name, event)}
    @dragover=${(event: DragEvent) => {
      if (chosen && draft.dragged !== undefined) event.preventDefault();
    }}
    @drop=${(event: DragEvent) => drop(context, place, event)}
    @dragend=${() => actions.edit({ dragged: undefined })}
  >
    <button
      class="pipeline-chip"
      role="checkbox"
      aria-checked=${chosen}
      aria-describedby="pipelines-help"
      title=${label}
      data-testid="pipeline-${name}"
      ?disabled=${!chosen && state.chosen.length >= MAX_CHOSEN}
      @click=${() => actions.send({ type: 'set-pipelines', names: toggled(state.chosen, name) })}
      @keydown=${(event: KeyboardEvent) => onKeydown(context, name, event)}
    >
      <span class="check" aria-hidden="true">${codicon(chosen ? 'check' : 'add')}</span>${name}${
        place === 0 ? html`<span class="badge">${compareWords.baselineBadge()}</span>` : nothing
      }
    </button>
  </li>`;
}

function startDrag({ actions }: Context, name: string, event: DragEvent): void {
  // Some browsers only drag elements with data.
  event.dataTransfer?.setData('text/plain', name);
  actions.edit({ dragged: name });
}

function drop({ state, draft, actions }: Context, place: number, event: DragEvent): void {
  event.preventDefault();
  if (draft.dragged === undefined || place < 0) return;
  actions.send({ type: 'set-pipelines', names: movedTo(state.chosen, draft.dragged, place) });
  actions.edit({ dragged: undefined });
}

/** Alt with an arrow key moves a chosen pipeline. */
function onKeydown({ state, actions }: Context, name: string, event: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined || !event.altKey || !state.chosen.includes(name)) return;
  event.preventDefault();
  const names = movedBy(state.chosen, name, by);
  if (names.join('\n') === state.chosen.join('\n')) return;
  actions.send({ type: 'set-pipelines', names });
  actions.announce(setupWords.moved(name, names.indexOf(name) + 1));
}
