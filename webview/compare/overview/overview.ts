/** The figures of all data sets: their basis and their table. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { certaintiesText } from '../../../src/core/external/certainty.ts';
import { cutShortText } from '../../../src/core/facts.ts';
import { correctionText } from '../../../src/core/metrics/corrected-text.ts';
import { ENOUGH_JUDGED } from '../../../src/core/metrics/judgements.ts';
import { disagreementText } from '../../../src/shared/p-value.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import type { FromCompare } from '../../../src/features/compare/contract/panel.ts';
import { basis } from '../../components/basis.ts';
import { failedQuestions, failedSearches } from '../../components/failed-searches.ts';
import { codicon } from '../../components/icon.ts';
import { section } from '../../components/section.ts';
import type { JudgedBy } from '../../../src/core/model.ts';
import type { ComparedContext } from '../draft.ts';
import { compareWords } from '../strings.ts';
import { columnChoice, shownColumns } from './column-choice.ts';
import { overviewTable } from './overview-table.ts';
import { overviewWords } from './strings.ts';

/** Judges that answer on their own and can err. */
const MODELS: ReadonlySet<JudgedBy['source']> = new Set(['debate', 'llm', 'nli']);

export function overview(context: ComparedContext): TemplateResult {
  const { comparison } = context;
  const sources = allSources(comparison);
  return section(
    {
      id: 'overview',
      heading: overviewWords.overview(),
      note: overviewWords.ranOn(comparison),
      aside: html`${columnChoice(context)} ${exports(context)}`,
    },
    html`<div class="basis" data-testid="basis">
        ${sources.length === 0 ? html`<p class="muted">${overviewWords.noSources()}</p>` : basis(sources)}
        ${noResult(context)} ${unchecked(comparison, sources)} ${judgedWarning(comparison)}
        ${corrections(comparison)} ${leftOutWarning(comparison)} ${failures(comparison)}
        ${disagreement(context)}
        ${comparison.pipelines.length === 1 ? html`<p class="muted">${overviewWords.onlyOne()}</p>` : nothing}
      </div>
      ${overviewTable(context)}`,
  );
}

/** A note if the interval and the p-value of a difference in the table disagree. */
function disagreement(context: ComparedContext): TemplateResult | typeof nothing {
  const shown = shownColumns(context).map(({ key }) => key);
  const differences = context.comparison.datasets.flatMap(({ pipelines }) =>
    pipelines.flatMap(({ measures }) => shown.flatMap((measure) => measures[measure]?.difference ?? [])),
  );
  const text = disagreementText(differences);
  return text === undefined ? nothing : html`<p class="muted" data-testid="disagreement">${text}</p>`;
}

/** The sources of all data sets together, without duplicates. */
function allSources({ datasets }: Evaluation): JudgedBy[] {
  const byKey = new Map<string, JudgedBy>();
  for (const source of datasets.flatMap(({ sources }) => sources)) {
    const key = `${source.source}\n${source.judge}`;
    const before = byKey.get(key);
    byKey.set(key, {
      ...source,
      count: source.count + (before?.count ?? 0),
      evidenceNotFound: (source.evidenceNotFound ?? 0) + (before?.evidenceNotFound ?? 0),
      ofDocuments: (source.ofDocuments ?? 0) + (before?.ofDocuments ?? 0),
    });
  }
  return [...byKey.values()];
}

function exports({ actions }: ComparedContext): TemplateResult {
  const formats = Object.entries(overviewWords.exportFormats()) as [
    Extract<FromCompare, { type: 'export' }>['format'],
    string,
  ][];
  return html`<div class="export" role="group" aria-label=${overviewWords.exportAs()} data-testid="export">
    <span class="muted" aria-hidden="true">${overviewWords.exportAs()}</span>
    ${formats.map(
      ([format, label]) =>
        html`<button
          class="link"
          data-testid="export-${format}"
          @click=${() => actions.send({ type: 'export', format })}
        >
          ${label}
        </button>`,
    )}
  </div>`;
}

/** Above the table, because it invalidates the table's figures. */
function noResult({ state }: ComparedContext): TemplateResult | typeof nothing {
  const text = state.judging?.report && compareWords.noResult(state.judging.report);
  if (text === undefined) return nothing;
  return html`<p class="notice" data-testid="no-result">${codicon('warning')}<span>${text}</span></p>`;
}

/** A note if no labels show how often the judges behind the figures err. */
function unchecked({ datasets }: Evaluation, sources: readonly JudgedBy[]): TemplateResult | typeof nothing {
  const isChecked = datasets.some(({ pipelines }) => pipelines.some(({ correction }) => correction));
  const judges = sources.filter(({ source, heuristic }) => MODELS.has(source) && !heuristic);
  if (isChecked || judges.length === 0) return nothing;
  const names = [...new Set(judges.map(({ judge }) => judge))];
  return html`<p class="muted" data-testid="unchecked">${overviewWords.unchecked(names)}</p>`;
}

/** Queries without fetched pages would count as failures of the pipelines. */
function leftOutWarning({ datasets }: Evaluation): TemplateResult[] {
  return datasets.flatMap(({ name, leftOut }) =>
    leftOut.length === 0
      ? []
      : [html`<p class="muted" data-testid="left-out">${overviewWords.leftOut(name, leftOut)}</p>`],
  );
}

/** The labels behind corrected figures, or the number still needed; once for pipelines with the same text. */
function corrections({ datasets }: Evaluation): TemplateResult[] {
  return datasets.flatMap(({ name: dataset, pipelines }) => {
    const corrected = pipelines.flatMap(({ name, correction }) =>
      correction ? [{ name, text: correctionText(correction) }] : [],
    );
    return [...Map.groupBy(corrected, ({ text }) => text)].map(([text, group]) => {
      const names =
        group.length === pipelines.length ? undefined : overviewWords.someOf(group.map(({ name }) => name));
      const about = [...(datasets.length > 1 ? [dataset] : []), ...(names === undefined ? [] : [names])];
      return html`<p class="muted" data-testid="correction">
        ${about.length === 0 ? text : overviewWords.saidOf(about.join(', '), text)}
      </p>`;
    });
  });
}

/** A pipeline with failed searches looks worse than it is, and its row does not show why. */
function failures({ datasets }: Evaluation): TemplateResult[] {
  return datasets.flatMap(({ name: dataset, pipelines, queries }) =>
    pipelines.map(({ name, queryErrors, searchErrors, short, certainty, cutShort }) => {
      const about = datasets.length === 1 ? name : overviewWords.pipelineOn(name, dataset);
      return html`${failedQuestions(about, queryErrors, queries.length)}
      ${failedSearches(about, searchErrors)}
      ${cutShort ? warning('cut-short', cutShortText(about, cutShort, queries.length)) : nothing}
      ${short ? warning('short', overviewWords.short(about, short, queries.length)) : nothing}
      ${
        certainty
          ? html`<p class="muted" data-testid="certainty" dir="auto">${certaintiesText(about, certainty)}</p>`
          : nothing
      }`;
    }),
  );
}

function warning(testId: string, text: string): TemplateResult {
  return html`<p class="notice" data-testid=${testId}>
    ${codicon('warning')}<span dir="auto">${text}</span>
  </p>`;
}

/** Also shown above the table, because a figure that may be wrong is worse than a missing one. */
function judgedWarning({ datasets }: Evaluation): TemplateResult | typeof nothing {
  const ran = datasets.flatMap(({ name: dataset, pipelines }) =>
    pipelines
      .filter(({ error }) => error === undefined)
      .map(({ name, judged }) => ({ dataset, name, judged })),
  );
  const low = ran.filter(({ judged }) => judged < ENOUGH_JUDGED);
  if (low.length === 0) return nothing;
  const names = [...new Set(low.map(({ name }) => name))];
  return html`<p class="notice" data-testid="low-judged">
    ${codicon('warning')}<span>${overviewWords.lowJudged(names)}</span>
  </p>`;
}
