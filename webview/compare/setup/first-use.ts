/** First steps, before there is a comparison. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { remedyTitle } from '../../../src/shared/remedies.ts';
import { notIndexed, untrusted, welcome } from '../../components/frame.ts';
import { button } from '../../components/toolkit.ts';
import type { Context } from '../draft.ts';
import { chosenQueries, missingIndexes } from './chosen-sets.ts';
import { canRun } from './head.ts';
import { setupWords } from './strings.ts';

/** On one line, because a question must be one line; it can be copied as it is. */
const EVAL_SET_EXAMPLE = `{"id": "q1", "text": "Should schools start later?", "perspectives": [{"text": "Teenagers get more sleep.", "stance": "support"}, {"text": "It upsets the mornings of working parents.", "stance": "oppose"}]}`;
const EVAL_SET_CONFIG = `"evalSets": ["eval/questions.jsonl"]`;
const PIPELINES_CONFIG = `"pipelines": {
  "bm25": { "retriever": { "type": "bm25" }, "k": 5 },
  "diverse": { "retriever": { "type": "bm25" }, "rerank": [{ "type": "mmr", "lambda": 0.75 }], "k": 5 }
}`;

/** `undefined` once a comparison can be run, or if there is an earlier one to show. */
export function firstUse({ state, actions }: Context): TemplateResult | undefined {
  if (!state.trusted) return untrusted(actions);
  if (state.shown !== undefined) return undefined;
  // The alert says what to do; advice on what to write would suggest that the file is empty.
  if (state.configProblem !== undefined) return html``;
  const openConfig = button({
    label: remedyTitle('open-config'),
    icon: 'go-to-file',
    primary: true,
    testId: 'open-config',
    onClick: () => actions.send({ type: 'remedy', remedy: 'open-config' }),
  });
  if (state.evalSets.length === 0)
    return welcome('beaker', setupWords.noEvalSetTitle(), 'no-eval-set', [
      html`<p>${setupWords.noEvalSet()}</p>
        <p>${setupWords.addEvalSet()}</p>`,
      example(setupWords.evalSetExample(), EVAL_SET_EXAMPLE),
      example(setupWords.configExample(), EVAL_SET_CONFIG),
      openConfig,
      button({
        label: remedyTitle('build-eval-set'),
        icon: 'beaker',
        testId: 'build-eval-set',
        onClick: () => actions.send({ type: 'remedy', remedy: 'build-eval-set' }),
      }),
    ]);
  if (state.pipelines.length < 2)
    return welcome(
      'beaker',
      state.pipelines.length === 0 ? setupWords.noPipelineTitle() : setupWords.tooFewTitle(),
      'too-few-pipelines',
      [
        html`<p>${setupWords.tooFew()}</p>`,
        example(setupWords.configExample(), PIPELINES_CONFIG),
        openConfig,
      ],
    );
  const [corpus] = missingIndexes(state);
  // If another corpus is ready, the notice below the choice of data sets suffices.
  if (corpus !== undefined && state.corpora.every(({ indexed }) => !indexed))
    return notIndexed(corpus, setupWords.indexing(), state.task !== undefined, () =>
      actions.send({ type: 'index', corpus }),
    );
  return undefined;
}

/** Shown until there is a first comparison. */
export function ready({ state }: Context): TemplateResult | typeof nothing {
  if (state.task) return nothing;
  const { chosen, chosenSets } = state;
  const able = canRun(state);
  const text = able
    ? setupWords.ready(chosen.length, chosenQueries(state), chosenSets.length)
    : setupWords.notReady(chosen.length, chosenSets.length);
  return welcome('play', able ? setupWords.readyTitle() : setupWords.notReadyTitle(), 'ready', [
    html`<p>${text}</p>`,
  ]);
}

function example(label: string, text: string): TemplateResult {
  return html`<div class="json">
    <pre tabindex="0" role="region" aria-label=${label}>${text}</pre>
  </div>`;
}
