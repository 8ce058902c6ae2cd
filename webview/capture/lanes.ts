/** The picture: a column for each search, a lane for each perspective, and the figures of each search below. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { RunSearch } from '../../src/features/capture/contract/run-picture.ts';
import { letter } from '../components/chip.ts';
import { section } from '../components/section.ts';
import type { RunContext } from './draft.ts';
import { strings } from './strings.ts';

export function lanes(context: RunContext): TemplateResult {
  const { picture, signs } = context;
  const { searches } = picture;
  return section(
    { id: 'lanes', heading: strings.lanes(), note: strings.lanesNote() },
    html`<div class="table-scroll">
        <table class="lanes" aria-labelledby="lanes-heading" data-testid="lanes">
          <thead>
            <tr>
              <th class="name" scope="col">${strings.perspective()}</th>
              ${searches.map((search, place) => column(context, search, place))}
            </tr>
          </thead>
          <tbody>
            ${signs.map((sign) => lane(context, sign))}
          </tbody>
          <tbody class="step-figures">
            ${
              signs.length > 0
                ? html`${row(
                    strings.covered(),
                    searches.map(({ covered }) => strings.countOf(covered, signs.length)),
                  )}
                  ${row(strings.gain(), searches.map(strings.gainOf), strings.gainHint())}`
                : nothing
            }
            ${row(
              strings.passages(),
              searches.map(({ passages }) => String(passages.length)),
            )}
            ${row(
              strings.seen(),
              searches.map((search) => strings.shareOf(search.seen, search)),
            )}
            ${row(
              strings.nearlySeen(),
              searches.map((search) => strings.shareOf(search.nearlySeen, search)),
              strings.nearlyHint(),
            )}
          </tbody>
        </table>
      </div>
      ${passages(context)}`,
  );
}

/** The head of a column shows the passages of its search. */
function column({ draft, actions }: RunContext, { query }: RunSearch, place: number): TemplateResult {
  const isShown = draft.search === place;
  return html`<th scope="col" class=${isShown ? 'shown' : ''}>
    <button
      class="link search"
      aria-expanded=${isShown ? 'true' : 'false'}
      title=${query}
      data-testid="search-${place + 1}"
      @click=${() => actions.edit({ search: isShown ? undefined : place })}
    >
      <b>${place + 1}</b><span class="sr-only">: </span><span class="clamped" dir="auto">${query}</span>
    </button>
  </th>`;
}

function lane(
  { picture: { searches, never } }: RunContext,
  sign: RunContext['signs'][number],
): TemplateResult {
  const first = searches.findIndex(({ gained }) => gained.includes(sign.id));
  return html`<tr
    class=${never.includes(sign.id) ? 'never' : ''}
    data-color=${sign.color}
    data-testid="lane-${sign.letter}"
  >
    <th class="name" scope="row">
      <div class="lane-name">
        ${letter(sign, first < 0 ? 'dashed' : 'solid')}
        <span class="clamped statement" dir="auto" title=${sign.text}>${sign.text}</span>
      </div>
    </th>
    ${searches.map(({ passages: own }, place) => {
      if (first < 0 || place < first) return cell('', strings.notYet());
      if (place === first) return cell('first', strings.first());
      return own.some(({ supports }) => supports.includes(sign.id))
        ? cell('again', strings.again())
        : cell('before', strings.before());
    })}
  </tr>`;
}

function cell(kind: '' | 'first' | 'again' | 'before', text: string): TemplateResult {
  return html`<td class="cell ${kind}" title=${text}>
    <span class="mark" aria-hidden="true"></span><span class="sr-only">${text}</span>
  </td>`;
}

function row(name: string, values: readonly string[], hint?: string): TemplateResult {
  return html`<tr>
    <th class="name" scope="row" title=${hint ?? nothing}>${name}</th>
    ${values.map((value) => html`<td>${value}</td>`)}
  </tr>`;
}

function passages({ picture, signs, draft, actions }: RunContext): TemplateResult | typeof nothing {
  const place = draft.search;
  const search = place === undefined ? undefined : picture.searches[place];
  if (!search || place === undefined) return nothing;
  return html`<div class="of-search" data-testid="passages">
    <h3 dir="auto">${strings.passagesOf(place + 1, search.query)}</h3>
    ${search.passages.length === 0 ? html`<p class="muted">${strings.foundNothing()}</p>` : nothing}
    <ol>
      ${search.passages.map(({ id, title, recognised, supports }) => {
        const supported = signs.filter((sign) => supports.includes(sign.id));
        return html`<li>
          ${
            recognised
              ? html`<button
                  class="link"
                  dir="auto"
                  @click=${() => actions.send({ type: 'open', passageId: id })}
                >
                  ${title}
                </button>`
              : html`<span dir="auto">${title || id}</span> <span class="muted">${strings.foreign()}</span>`
          }
          ${supported.map((sign) => letter(sign))}
        </li>`;
      })}
    </ol>
  </div>`;
}
