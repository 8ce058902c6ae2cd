/** Tries out MMR and projection on the candidates, with sliders that reorder them while they are dragged. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { live } from 'lit/directives/live.js';
import { projectionPlan } from '../../src/core/pipeline-needs.ts';
import { button } from '../components/toolkit.ts';
import type { Context } from './draft.ts';
import { strings } from './strings.ts';

/** The position of the MMR slider before it is moved: no weight on diversity, which is the order in view. */
const UNTOUCHED_DIVERSITY = 0;

interface Slider {
  readonly testId: string;
  readonly title: string;
  readonly hint: string;
  /** For screen readers: what the value weighs. */
  readonly name: string;
  /** The value as text. */
  readonly text: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onInput: (value: number) => void;
}

/** Empty if there is nothing to reorder. */
export function whatIf(context: Context): TemplateResult | typeof nothing {
  const { results } = context.state;
  if (!results || results.items.length < 2) return nothing;
  return html`<div class="what-if" data-testid="what-if">
    ${fusionSlider(context, results)} ${projectionSlider(context, results)} ${mmrSlider(context, results)}
    ${note(context, results)}
  </div>`;
}

/** Says beside the passages that an order is being tried out, with buttons to keep it or to end it. */
export function whatIfInUse(context: Context): TemplateResult | typeof nothing {
  if (!context.state.results?.whatIf) return nothing;
  return html`<p class="muted">${strings.whatIfInUse()}</p>
    ${buttons(context)}`;
}

type Results = NonNullable<Context['state']['results']>;

function fusionSlider(
  { actions }: Context,
  { whatIf: tried, fusionSlider: defaultWeight }: Results,
): TemplateResult | typeof nothing {
  if (defaultWeight === undefined) return nothing;
  const weight = tried?.fusion ?? defaultWeight;
  return slider({
    testId: 'what-if-fusion',
    title: strings.whatIfFusion(),
    hint: strings.whatIfFusionHint(),
    name: strings.whatIfFusionWeight(),
    text: strings.whatIfFusionValue(weight),
    value: weight,
    least: 0,
    most: 1,
    onInput: (value) => actions.send({ type: 'what-if', fusion: value }),
  });
}

function mmrSlider({ actions }: Context, { whatIf: tried }: Results): TemplateResult {
  const lambda = tried?.lambda;
  return slider({
    testId: 'what-if-diversity',
    title: strings.whatIf(),
    hint: strings.whatIfHint(),
    name: strings.whatIfDiversity(),
    text: lambda === undefined ? strings.whatIfOff() : strings.whatIfValue(lambda),
    value: lambda === undefined ? UNTOUCHED_DIVERSITY : otherWeight(lambda),
    least: 0,
    most: 1,
    onInput: (value) => actions.send({ type: 'what-if', lambda: otherWeight(value) }),
  });
}

/** The weights on relevance (λ) and on diversity add up to 1; rounded to the step of the slider. */
const otherWeight = (weight: number): number => Math.round((1 - weight) * 100) / 100;

function projectionSlider(
  { actions }: Context,
  { whatIf: tried, projectionSlider: offered }: Results,
): TemplateResult | typeof nothing {
  if (!offered) return nothing;
  const { method, untouched, least, most } = offered;
  const weight = tried?.weight;
  return slider({
    testId: 'what-if-weight',
    title: strings.whatIfProjection(method),
    hint: strings.whatIfProjectionHint(method),
    name: strings.whatIfWeight(),
    text: weight === undefined ? strings.whatIfOff() : strings.whatIfWeightValue(weight),
    value: weight ?? untouched,
    least,
    most,
    onInput: (value) => actions.send({ type: 'what-if', weight: value }),
  });
}

function slider(options: Slider): TemplateResult {
  const { testId, title, hint, name, text, value, least, most, onInput } = options;
  return html`<div class="what-if-slider">
    <label for=${testId} title=${hint}>${title}</label>
    <span class="muted">${text}</span>
    <input
      id=${testId}
      type="range"
      min=${least}
      max=${most}
      step="0.01"
      data-testid=${testId}
      aria-label=${name}
      aria-valuetext=${text}
      title=${hint}
      .value=${live(String(value))}
      @input=${(event: Event) => onInput(Number((event.target as HTMLInputElement).value))}
    />
  </div>`;
}

/** MMR orders the same candidates in a real run; a projection or another weight of meaning may find others. */
function note({ state }: Context, { whatIf: tried, candidates }: Results): TemplateResult | typeof nothing {
  const isProjected = tried?.weight !== undefined && projectionPlan(state.pipeline).place !== 'candidates';
  if (!isProjected && tried?.isIncomplete !== true) return nothing;
  const isReranked = state.pipeline.rerank.length > 0;
  return html`<p class="muted" data-testid="what-if-note">${strings.whatIfNote(candidates, isReranked)}</p>`;
}

function buttons({ actions }: Context): TemplateResult {
  return html`<div class="what-if-actions">
    ${button({
      label: strings.whatIfAdopt(),
      testId: 'what-if-adopt',
      onClick: () => actions.send({ type: 'adopt-what-if' }),
    })}
    ${button({
      label: strings.whatIfEnd(),
      testId: 'what-if-end',
      onClick: () => actions.send({ type: 'end-what-if' }),
    })}
  </div>`;
}
