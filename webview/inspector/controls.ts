/** Selects the pipeline, the judge and the corpus. */
import { remedyTitle } from '../../src/shared/remedies.ts';
import { pipelineTitle, retrieverLabel } from '../../src/core/pipeline-label.ts';
import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Pipeline } from '../../src/core/pipeline.ts';
import { codicon } from '../components/icon.ts';
import { judgePicker } from '../components/judge-picker.ts';
import { dropdown, iconButton, numberField } from '../components/toolkit.ts';
import { isRunning, type Context } from './draft.ts';
import {
  chosenName,
  embedderOf,
  stepTexts,
  withDepth,
  withEmbedder,
  withRetriever,
  type RetrieverType,
} from './pipeline-edit.ts';
import { strings } from './strings.ts';

/** The value of the picker for a pipeline without a name. */
const CUSTOM = '\u2063custom';

export function controls(context: Context): TemplateResult {
  return html`<section class="controls" aria-label=${strings.settings()}>
    <div class="fields">
      ${pipelinePicker(context)}
      ${judgePicker(context.state.judge, context.actions, (name) =>
        context.actions.send({ type: 'set-judge', name }),
      )}
      ${corpusPicker(context)}
    </div>
    ${pipelineDetails(context)}
  </section>`;
}

function pipelinePicker({ state, actions }: Context): TemplateResult {
  const chosen = chosenName(state.pipeline, state.pipelines);
  const named = state.pipelines.map((one) => ({ value: one.name, label: pipelineTitle(one) }));
  return dropdown({
    label: strings.pipeline(),
    value: chosen ?? CUSTOM,
    choices: chosen === undefined ? [...named, { value: CUSTOM, label: strings.customPipeline() }] : named,
    testId: 'pipeline-picker',
    onChange: (name) => {
      const entry = state.pipelines.find((one) => one.name === name);
      if (entry) actions.send({ type: 'set-pipeline', pipeline: { ...entry.pipeline, name } });
    },
  });
}

function corpusPicker({ state, actions }: Context): TemplateResult | typeof nothing {
  if (state.corpora.length < 2 || !('name' in state.corpus)) return nothing;
  return dropdown({
    label: strings.corpus(),
    value: state.corpus.name,
    choices: state.corpora.map((name) => ({ value: name, label: name })),
    testId: 'corpus-picker',
    onChange: (name) => actions.send({ type: 'set-corpus', name }),
  });
}

/** The size of the index, and what it lacks. */
export function corpusLine({ state, actions }: Context): TemplateResult | typeof nothing {
  const { corpus } = state;
  if (corpus.state !== 'indexed') return nothing;
  return html`<div class="corpus-line">
      <span class="grow" data-testid="corpus-size"
        >${state.corpora.length < 2 ? html`<b>${corpus.name}</b> · ` : nothing}${strings.corpusSize(corpus)}${
          corpus.skipped > 0
            ? html` ·
                <button
                  class="link"
                  data-testid="show-skipped"
                  title=${strings.showSkipped(corpus.skipped)}
                  @click=${() => actions.send({ type: 'show-skipped' })}
                >
                  ${strings.skipped(corpus.skipped)}
                </button>`
            : nothing
        }</span
      >
      ${iconButton({
        label: strings.reindex(corpus),
        icon: 'refresh',
        testId: 'reindex',
        disabled: isRunning(state, 'index'),
        onClick: () => actions.send({ type: 'index' }),
      })}
    </div>
    ${corpus.notices.map((notice) => html`<p class="notice">${codicon('warning')}<span>${notice}</span></p>`)}`;
}

function pipelineDetails(context: Context): TemplateResult {
  const { state, draft, actions } = context;
  const { pipeline } = state;
  const isNamed = chosenName(pipeline, state.pipelines) !== undefined;
  const opened = (event: Event): void => {
    const { open } = event.currentTarget as HTMLDetailsElement;
    if (open !== draft.pipelineOpen) actions.edit({ pipelineOpen: open });
  };
  return html`<details
    class="pipeline"
    ?open=${draft.pipelineOpen}
    @toggle=${opened}
    data-testid="pipeline-details"
  >
    <summary>
      ${[
        strings.pipelineDetails(),
        // A named pipeline needs no description.
        ...(isNamed ? [] : [retrieverLabel(pipeline.retriever), ...stepTexts(pipeline)]),
      ].join(' · ')}
    </summary>
    ${draft.pipelineOpen ? pipelineSettings(context) : nothing}
  </details>`;
}

/**
 * The user's own retriever, listed so that it stays visible. After switching to an index, it is chosen again as a named
 * pipeline.
 */
function ownRetriever({ retriever }: Pipeline): Record<string, string> {
  return { [retriever.type]: retrieverLabel(retriever) };
}

function pipelineSettings(context: Context): TemplateResult {
  const { state, actions } = context;
  const { pipeline } = state;
  const embedder = embedderOf(pipeline.retriever);
  const types = Object.entries({ ...ownRetriever(pipeline), ...strings.retrieverTypes() });
  return html`<div class="fields">
      ${dropdown({
        label: strings.retriever(),
        value: pipeline.retriever.type,
        choices: types.map(([value, label]) => ({ value, label })),
        testId: 'retriever-type',
        onChange: (type) => {
          const changed = withRetriever(pipeline, type as RetrieverType);
          actions.send({ type: 'set-pipeline', pipeline: changed });
        },
      })}
      ${
        embedder === undefined
          ? nothing
          : dropdown({
              label: strings.embedder(),
              value: embedder,
              choices: [...new Set([...state.embedders, embedder])].map((name) => ({
                value: name,
                label: name,
              })),
              testId: 'embedder',
              onChange: (name) =>
                actions.send({ type: 'set-pipeline', pipeline: withEmbedder(pipeline, name) }),
            })
      }
      <button
        class="link"
        data-testid="set-up-meaning"
        @click=${() => actions.send({ type: 'remedy', remedy: 'set-up-meaning' })}
      >
        ${remedyTitle('set-up-meaning')}
      </button>
    </div>
    <div class="fields">
      ${numberField({
        label: strings.k(),
        value: pipeline.k,
        min: 1,
        max: 1000,
        testId: 'k',
        onChange: (k) => actions.send({ type: 'set-pipeline', pipeline: withDepth(pipeline, { k }) }),
      })}
      ${numberField({
        label: strings.candidates(),
        value: pipeline.candidates,
        min: 1,
        max: 10_000,
        testId: 'candidates',
        onChange: (candidates) =>
          actions.send({ type: 'set-pipeline', pipeline: withDepth(pipeline, { candidates }) }),
      })}
    </div>
    ${pipelineJson(context)}`;
}

function pipelineJson({ state, actions }: Context): TemplateResult {
  const json = JSON.stringify(state.pipeline, null, 2);
  const copy = (): void => {
    navigator.clipboard.writeText(json).then(
      () => actions.announce(strings.copied()),
      () => actions.announce(strings.copyFailed()),
    );
  };
  return html`<div class="json">
    <pre tabindex="0" role="region" aria-label=${strings.pipelineJson()} data-testid="pipeline-json">
${json}</pre>
    ${iconButton({ label: strings.copyJson(), icon: 'copy', testId: 'copy-pipeline', onClick: copy })}
  </div>`;
}
