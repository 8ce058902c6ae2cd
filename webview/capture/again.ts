/** Perspectives that the run never reached, and its queries asked again. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { AskedAgainPicture } from '../../src/features/capture/contract/run-picture.ts';
import { letter } from '../components/chip.ts';
import { taskProgress } from '../components/frame.ts';
import { section } from '../components/section.ts';
import { button, dropdown } from '../components/toolkit.ts';
import type { RunContext } from './draft.ts';
import { strings } from './strings.ts';

export function lost(context: RunContext): TemplateResult {
  const { picture, signs, state, actions } = context;
  const { never, searchesAfter, again } = picture;
  const { pipelines, pipeline, task } = state;
  return section(
    { id: 'lost', heading: strings.lost(), note: strings.lostNote(picture) },
    html`${never.length === 0 ? html`<p>${strings.none()}</p>` : nothing}
    ${
      never.length === 0
        ? nothing
        : html`<ul class="lost">
            ${signs
              .filter(({ id }) => never.includes(id))
              .map(
                (sign) =>
                  html`<li data-testid="lost-${sign.letter}">
                    ${letter(sign, 'dashed')}
                    <div>
                      <span dir="auto">${sign.text}</span>
                      ${again ? reach(context, again, sign.id) : nothing}
                    </div>
                  </li>`,
              )}
          </ul>`
    }
    ${searchesAfter > 0 ? html`<p class="muted">${strings.after(searchesAfter)}</p>` : nothing}
    ${
      task
        ? html`<div class="tasks" data-testid="run-task">
            ${taskProgress(task, 'cancel', () => actions.send({ type: 'cancel' }))}
          </div>`
        : nothing
    }
    ${
      pipelines.length === 0
        ? nothing
        : html`<div class="setup-fields">
              ${dropdown({
                label: strings.retriever(),
                value: pipeline,
                choices: pipelines.map((name) => ({ value: name, label: name })),
                testId: 'again-pipeline',
                onChange: (name) => actions.send({ type: 'ask-again', pipeline: name }),
              })}
              ${button({
                label: strings.askAgain(),
                primary: true,
                disabled: task !== undefined,
                testId: 'ask-again',
                onClick: () => actions.send({ type: 'ask-again', pipeline }),
              })}
            </div>
            <p class="muted hint">${strings.askAgainHint()}</p>`
    }`,
  );
}

/** Whether a query of the run could have reached it. */
function reach({ actions }: RunContext, { lost: all, depth }: AskedAgainPicture, id: string): TemplateResult {
  const { reached, known = 0 } = all.find(({ perspectiveId }) => perspectiveId === id) ?? {};
  if (!reached)
    return html`<p class="muted">${known > 0 ? strings.unreached(known, depth) : strings.unknown()}</p>`;
  const { search, rank, passageId, title } = reached;
  return html`<p>
    ${strings.reached(search + 1, rank)}
    <button class="link" dir="auto" @click=${() => actions.send({ type: 'open', passageId })}>
      ${title}
    </button>
  </p>`;
}

export function whatIfs({ picture }: RunContext): TemplateResult | typeof nothing {
  const { again, searches, judgedPairs, pairs } = picture;
  if (!again) return nothing;
  const rows = [
    { name: strings.ran(), covered: searches.map(({ covered }) => covered), judgedPairs, pairs },
    ...again.whatIfs.map(({ order, leavesOutSeen, ...figures }) => ({
      name: leavesOutSeen ? strings.leavingOut(strings.orders(order)) : strings.orders(order),
      ...figures,
    })),
  ];
  return section(
    { id: 'what-ifs', heading: strings.whatIfs(), note: strings.whatIfsNote(again) },
    html`<div class="table-scroll">
      <table class="what-ifs" aria-labelledby="what-ifs-heading" data-testid="what-ifs">
        <thead>
          <tr>
            <th class="name" scope="col">${strings.change()}</th>
            ${searches.map((_, place) => html`<th scope="col">${place + 1}</th>`)}
            <th scope="col">${strings.judgedShare()}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (each) =>
              html`<tr>
                <th class="name" scope="row">${each.name}</th>
                ${each.covered.map((covered) => html`<td>${covered}</td>`)}
                <td>${strings.judgedOf(each.judgedPairs, each.pairs)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  );
}
