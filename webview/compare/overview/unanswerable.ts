/** What pipelines retrieve for questions that the corpus does not answer, and whether a score threshold helps. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { aurocText, thresholdText } from '../../../src/core/analysis/unanswerable-text.ts';
import { section } from '../../components/section.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines } from '../outcomes.ts';
import { compareWords } from '../strings.ts';
import { overviewWords } from './strings.ts';

export function unanswerable({ set }: ComparedContext): TemplateResult | typeof nothing {
  const rows = ranPipelines(set).flatMap(({ name, label, unanswerable: found }) =>
    found ? [{ name, label, found }] : [],
  );
  const [first] = rows;
  if (!first) return nothing;
  return section(
    {
      id: 'unanswerable',
      heading: overviewWords.unanswerable(first.found.questions),
      note: overviewWords.unanswerableNote(),
    },
    html`<div class="table-scroll">
      <table class="unanswerable">
        <caption class="sr-only">
          ${overviewWords.unanswerable(first.found.questions)}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">${compareWords.pipeline()}</th>
            <th scope="col">${overviewWords.falseRetrieval(first.found.k)}</th>
            <th scope="col">${overviewWords.toldApart()}</th>
            <th scope="col" class="name">${overviewWords.threshold()}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ name, label, found }) =>
              html`<tr data-testid="unanswerable-${name}">
                <th scope="row" class="name" title=${label}>${name}</th>
                <td>${overviewWords.share(found.falseRetrieval)}</td>
                <td>${aurocText(found)}</td>
                <td class="name">${thresholdText(found)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  );
}
