/**
 * The compared pipelines as a pool: their holes, whether another pipeline would find more, and the effect of filling
 * them.
 */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import {
  holeFigure,
  poolFigures,
  type PoolDatasetView,
  type PoolFigure,
  type PoolReport,
} from '../../../src/shared/pool.ts';
import { chartFrame } from '../../charts/chart-frame.ts';
import { atLeastText } from '../../components/figures.ts';
import { codicon } from '../../components/icon.ts';
import { section } from '../../components/section.ts';
import { button } from '../../components/toolkit.ts';
import { words } from '../../components/words.ts';
import { poolCurves } from '../charts/pool-curves.ts';
import { saveChart, type ComparedContext } from '../draft.ts';
import { compareWords } from '../strings.ts';
import { canJudge, judgeButton } from './judging.ts';
import { judgingWords } from './strings.ts';

/** Empty if the state has no information on judging. */
export function pool(context: ComparedContext): TemplateResult | typeof nothing {
  const { state, set } = context;
  if (!state.judging) return nothing;
  const shown = state.pool?.datasets.find(({ name }) => name === set.name);
  return section(
    { id: 'pool', heading: judgingWords.pool(), note: judgingWords.poolNote() },
    html`<p class="muted pool-help">
        ${judgingWords.poolHelp()} ${state.pool ? nothing : judgingWords.poolFirst()}
      </p>
      ${state.pool && shown ? measured(context, state.pool, shown) : nothing}
      ${state.pool && !shown ? html`<p class="muted">${judgingWords.poolMissing()}</p>` : nothing}
      ${controls(context, shown)}`,
  );
}

function controls(context: ComparedContext, shown: PoolDatasetView | undefined): TemplateResult {
  const { state, actions } = context;
  const blocked = state.judging?.blocked;
  const open = shown !== undefined && shown.judgedAfter < shown.pairs;
  return html`<div class="judging-line">
    ${button({
      label: judgingWords.measurePool(state.pool !== undefined),
      testId: 'measure-pool',
      disabled: !canJudge(state),
      onClick: () => actions.send({ type: 'measure-pool' }),
    })}
    ${open ? judgeButton(context, 'everything', 'judge-pool') : nothing}
    ${blocked ? html`<p class="muted" data-testid="pool-blocked">${judgingWords.judgingBlocked(blocked)}</p>` : nothing}
  </div>`;
}

function measured(context: ComparedContext, report: PoolReport, set: PoolDatasetView): TemplateResult {
  const { saturated, sentence } = set.saturation;
  return html`<p class="saturation" data-testid="saturation">
      ${codicon(saturated === true ? 'check' : saturated === false ? 'warning' : 'question')}<span
        >${sentence}</span
      >
    </p>
    <p class="muted" data-testid="pool-counts">${judgingWords.poolCounts(set, report)}</p>
    <div class="pool-charts">${poolCurves(set).map((chart) => chartFrame(saveChart(context), chart))}</div>
    ${poolTable(set, report.k)}`;
}

function poolTable(set: PoolDatasetView, k: number): TemplateResult {
  const { pipelines, failed } = set;
  const measures = Object.keys(pipelines[0]?.measures ?? {});
  return html`<div class="table-scroll">
    <table class="pool">
      <caption class="sr-only">
        ${judgingWords.poolCaption()}
      </caption>
      <thead>
        <tr>
          <th scope="col" class="name">${compareWords.pipeline()}</th>
          <th scope="col" title=${judgingWords.holeDefinition(k)}>${judgingWords.holeAt(k)}</th>
          <th scope="col" title=${judgingWords.judgedAtDefinition()}>${judgingWords.judgedAt(k)}</th>
          ${measures.map(
            (measure) =>
              html`<th scope="col" title=${judgingWords.poolMeasureDefinition(measure)}>${measure}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${pipelines.map((one) => poolRow(set, one, measures))}
        ${failed.map(
          ({ name, error }) =>
            html`<tr data-testid="pool-${name}">
              <th scope="row" class="name">${name}</th>
              <td class="across" colspan=${measures.length + 2} title=${error}>
                ${judgingWords.poolFailed()}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function poolRow(
  set: PoolDatasetView,
  pipeline: PoolDatasetView['pipelines'][number],
  measures: readonly string[],
): TemplateResult {
  const { name, judgedBefore, judgedAfter, measures: figures } = pipeline;
  const hole = holeFigure(set, pipeline);
  return html`<tr data-testid="pool-${name}">
    <th scope="row" class="name">${name}</th>
    <td>${hole === null ? words.none() : compareWords.value(hole)}</td>
    <td>${judgingWords.beforeAfter(compareWords.value(judgedBefore), compareWords.value(judgedAfter))}</td>
    ${measures.map((measure) => {
      const { before, after } = poolFigures(pipeline, measure);
      const { rankBefore, rankAfter } = figures[measure]!;
      return html`<td>
        ${judgingWords.beforeAfter(figureText(before), figureText(after))}<span class="second"
          >${judgingWords.rankChange(rankBefore, rankAfter)}</span
        >
      </td>`;
    })}
  </tr>`;
}

function figureText({ value, isLeast }: PoolFigure): string {
  if (value === null) return words.none();
  return isLeast ? atLeastText(value) : compareWords.value(value);
}
