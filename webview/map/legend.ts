/** Explains the map's signs and lines, and selects the lines to draw. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { MAPPED_PIPELINES } from '../../src/features/map/contract/passage-map.ts';
import { letter } from '../components/chip.ts';
import type { DrawnContext } from './draft.ts';
import { dashOf } from './paint.ts';
import { strings } from './strings.ts';

export function outlines({ map, state, actions }: DrawnContext): TemplateResult {
  const { pipelines, chosen } = state;
  const isFull = chosen.length >= MAPPED_PIPELINES - 1;
  const change = (name: string, isOn: boolean): void =>
    actions.send({
      type: 'set-pipelines',
      names: isOn ? [...chosen, name] : chosen.filter((other) => other !== name),
    });
  return html`<section aria-labelledby="outlined">
    <h2 id="outlined">${strings.outlines()}</h2>
    <ul class="outlines">
      ${map.tops.map(
        ({ name, ids, problem }, index) =>
          html`<li>
            <svg class="sample" viewBox="0 0 24 12" aria-hidden="true">
              <path class="outline" stroke-dasharray=${dashOf(index).join(' ')} d="M2 6H22"></path></svg
            ><span
              >${problem === undefined ? strings.top(name, ids.length) : strings.notAsked(name, problem)}</span
            >
          </li>`,
      )}
    </ul>
    <p class="muted">${strings.outlineNote()}</p>
    ${
      pipelines.length === 0
        ? nothing
        : html`<fieldset>
            <legend class="muted">${strings.also()}</legend>
            ${pipelines.map(
              (name) =>
                html`<label class="also"
                  ><input
                    type="checkbox"
                    data-testid="outline-${name}"
                    .checked=${chosen.includes(name)}
                    ?disabled=${isFull && !chosen.includes(name)}
                    @change=${(event: Event) => change(name, (event.target as HTMLInputElement).checked)}
                  />${name}</label
                >`,
            )}
          </fieldset>`
    }
  </section>`;
}

export function legend({ map, state }: DrawnContext): TemplateResult {
  const hasPerspectives = state.perspectives.length > 0;
  return html`<section aria-labelledby="legend">
    <h2 id="legend">${strings.legend()}</h2>
    <ul class="outlines">
      <li>${diamond('question', 5)} <span>${strings.question()}</span></li>
      ${map.projections.length > 0 ? html`<li>${diamond('projection', 4)} <span>${strings.projection()}</span></li>` : nothing}
      ${state.perspectives.map(
        (perspective) => html`<li>${letter(perspective)} <span dir="auto">${perspective.text}</span></li>`,
      )}
      ${hasPerspectives ? [circle('supporting', 4, strings.supporting()), circle('judged', 4, strings.judgedNo())] : nothing}
      ${circle('unjudged', 4, strings.unjudged())}
      ${map.sample.slots.length > 0 ? circle('other', 2, strings.other()) : nothing}
    </ul>
  </section>`;
}

function diamond(kind: string, reach: number): TemplateResult {
  return html`<svg class="sample" viewBox="-12 -6 24 12" aria-hidden="true">
    <path class=${kind} d="M0-${reach}L${reach} 0L0 ${reach}L-${reach} 0Z"></path>
  </svg>`;
}

function circle(kind: string, radius: number, label: string): TemplateResult {
  return html`<li>
    <svg class="sample" viewBox="-12 -6 24 12" aria-hidden="true">
      <circle
        class="point ${kind}"
        data-color=${kind === 'supporting' ? 0 : nothing}
        r=${radius}
      ></circle></svg
    ><span>${label}</span>
  </li>`;
}
