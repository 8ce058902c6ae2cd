/** The choice of data sets: the corpora that each eval set is run on. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';
import { popover } from '../../components/popover.ts';
import { button } from '../../components/toolkit.ts';
import type { Context } from '../draft.ts';
import { isChosen, missingIndexes, MAX_SETS, toggledSet } from './chosen-sets.ts';
import { setupWords } from './strings.ts';

export function setPicker(context: Context): TemplateResult {
  const { state, draft, actions } = context;
  return popover({
    label: setupWords.dataSets(),
    text: setupWords.chosenSets(state),
    open: draft.popover === 'sets',
    testId: 'set-picker',
    onToggle: (open) => actions.edit({ popover: open ? 'sets' : undefined }),
    content: () => setTable(context),
  });
}

/** Eval sets as rows, corpora as columns; checked pairs are compared. */
function setTable(context: Context): TemplateResult {
  const { state } = context;
  return html`<p class="muted">${setupWords.setsHelp()}</p>
    <div class="table-scroll">
      <table class="sets">
        <caption class="sr-only">
          ${setupWords.setsCaption()}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">${setupWords.evalSet()}</th>
            ${state.corpora.map(
              ({ name, indexed }) =>
                html`<th scope="col">
                  ${name}${indexed ? nothing : html`<span class="second">${setupWords.notIndexed()}</span>`}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${state.evalSets.map(
            ({ path, queries }) =>
              html`<tr>
                <th scope="row" class="name">
                  ${path}<span class="second">${setupWords.queryCount(queries)}</span>
                </th>
                ${state.corpora.map(({ name }) => setCell(context, path, name))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

function setCell({ state, actions }: Context, evalSet: string, corpus: string): TemplateResult {
  const set = { evalSet, corpus };
  const chosen = isChosen(state.chosenSets, set);
  return html`<td>
    <input
      type="checkbox"
      aria-label=${setupWords.setChoice(set)}
      data-testid="set-${evalSet}-${corpus}"
      .checked=${live(chosen)}
      ?disabled=${!chosen && state.chosenSets.length >= MAX_SETS}
      @change=${() => actions.send({ type: 'set-sets', sets: toggledSet(state.chosenSets, set) })}
    />
  </td>`;
}

/** Corpora that must be indexed before the chosen data sets can be used. */
export function missingNotice({ state, actions }: Context): TemplateResult | typeof nothing {
  const missing = missingIndexes(state);
  if (missing.length === 0) return nothing;
  return html`<div class="notice" data-testid="missing-index">
    <span>${setupWords.missingIndex(missing)}</span>
    ${missing.map((corpus) =>
      button({
        label: setupWords.index(corpus),
        testId: `index-${corpus}`,
        disabled: state.task !== undefined,
        onClick: () => actions.send({ type: 'index', corpus }),
      }),
    )}
  </div>`;
}
