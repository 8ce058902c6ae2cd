/** What pipelines retrieve for questions that the corpus does not answer, and whether a score threshold helps. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { aurocText, thresholdText } from '../../../src/core/analysis/unanswerable-text.ts';
import { section } from '../../components/section.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines } from '../outcomes.ts';
import { compareWords } from '../strings.ts';
import { overviewWords } from './strings.ts';

export function unanswerable({ set }: ComparedContext): TemplateResult | typeof nothing {
  const rows = ranPipelines(set).flatMap(({ name, label, unanswerable: report }) =>
    report ? [{ name, label, report }] : [],
  );
  const [first] = rows;
  if (!first) return nothing;
  return section(
    {
      id: 'unanswerable',
      heading: overviewWords.unanswerable(first.report.questions),
      note: overviewWords.unanswerableNote(),
    },
    html`<div class="table-scroll">
      <table class="unanswerable">
        <caption class="sr-only">
          ${overviewWords.unanswerable(first.report.questions)}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">${compareWords.pipeline()}</th>
            <th scope="col">${overviewWords.falseRetrieval(first.report.k)}</th>
            <th scope="col">${overviewWords.toldApart()}</th>
            <th scope="col" class="name">${overviewWords.threshold()}</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ name, label, report }) =>
              html`<tr data-testid="unanswerable-${name}">
                <th scope="row" class="name" title=${label}>${name}</th>
                <td>${overviewWords.share(report.falseRetrieval)}</td>
                <td>${aurocText(report)}</td>
                <td class="name">${thresholdText(report)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`,
  );
}
