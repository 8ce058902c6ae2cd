/** What is known of judges before one is asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeChoices, needsNoQuestion } from '../../../src/extension/judging/judge-choice.ts';
import { configSchema } from '../../../src/shared/config.ts';
import type { Effort } from '../../../src/shared/judge-effort.ts';
import {
  BUILT_IN_JUDGES,
  chatJudgeOf,
  JUDGE_TYPES,
  judgeEffort,
  JUDGES_WITHOUT_EDITOR,
} from '../../../src/shared/judge-types.ts';

const config = configSchema.parse({
  judges: {
    labels: { type: 'labels' },
    lexical: { type: 'lexical' },
    openai: { type: 'openai', model: 'large' },
    vscode: { type: 'vscode' },
    debate: { type: 'debate', agents: 'openai' },
    filter: { type: 'filter', judges: ['nli'], then: 'openai' },
    nli: { type: 'nli', path: 'models/nli' },
    lara: { type: 'lara', judge: 'openai', share: 0.1 },
  },
});
const choices = judgeChoices(config);
const workload = { pairs: 40, passages: 20, passageLength: 800 };
const effortOf = (name: string): Effort => judgeEffort(name, config.judges, workload, {});

describe('judges by type', () => {
  test('every type is tried here', () => {
    assert.deepEqual(Object.keys(config.judges).sort(), Object.keys(JUDGE_TYPES).sort());
  });

  test('a judge that may send requests is asked without a question only as far as the settings allow', () => {
    for (const choice of choices) {
      const effort = effortOf(choice.name);
      const asks = effort.requests.most > 0;
      assert.equal(choice.needsConfirmation, asks, choice.name);
      assert.equal(needsNoQuestion(choice, effort, effort.requests.most), true, choice.name);
      assert.equal(needsNoQuestion(choice, effort, effort.requests.most - 1), !asks, choice.name);
    }
  });

  test('whatever leaves the product waits until the workspace is trusted', () => {
    const waiting = choices.filter(({ needsTrust }) => needsTrust).map(({ name }) => name);
    assert.deepEqual(waiting.sort(), ['debate', 'filter', 'lara', 'nli', 'openai', 'vscode']);
  });

  test('people cannot be asked, and shared words are labelled as a guess', () => {
    assert.deepEqual(
      choices.filter(({ canJudge }) => !canJudge).map(({ name }) => name),
      ['labels'],
    );
    assert.deepEqual(
      choices.filter(({ heuristic }) => heuristic).map(({ name }) => name),
      ['lexical'],
    );
  });

  test('the model that writes is that of a chat judge, at whatever remove', () => {
    const model = (name: string): string | undefined => chatJudgeOf(name, config.judges[name]!);
    assert.deepEqual(
      ['openai', 'vscode', 'debate', 'filter', 'lara', 'nli', 'lexical', 'labels'].map(model),
      ['openai', 'vscode', 'openai', 'openai', 'openai', undefined, undefined, undefined],
    );
  });

  test('built-in judges stand behind those of the same name in parallax.json', () => {
    assert.deepEqual(Object.keys(BUILT_IN_JUDGES), ['labels', 'lexical', 'vscode']);
    assert.deepEqual(Object.keys(JUDGES_WITHOUT_EDITOR), ['labels', 'lexical']);
    const own = judgeChoices(configSchema.parse({ judges: { lexical: { type: 'openai', model: 'm' } } }));
    assert.deepEqual(
      own.map(({ name, label }) => [name, label]),
      [
        ['lexical', 'lexical (m)'],
        ['labels', 'Human labels'],
        ['vscode', "The editor's language model"],
      ],
    );
  });
});
