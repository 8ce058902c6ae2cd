/** Properties of judges that are known without a request. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  chooseJudge,
  judgeChoices,
  needsNoQuestion,
  rememberedJudge,
} from '../../../src/extension/judging/judge-choice.ts';
import { configSchema } from '../../../src/shared/config.ts';
import type { Effort } from '../../../src/shared/requests/spending.ts';
import {
  BUILT_IN_JUDGES,
  chatJudgeOf,
  countingJudgeName,
  isGuessing,
  judgeEffort,
  JUDGES_WITHOUT_EDITOR,
} from '../../../src/shared/named-judges.ts';
import { judgeTypeOf, JUDGE_TYPES } from '../../../src/shared/judge-config.ts';

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
  test('a judge named after its model is named once', () => {
    const label = (name: string, model: string): string => {
      const { judges } = configSchema.parse({ judges: { [name]: { type: 'openai', model } } });
      return judgeTypeOf(judges[name]!).label(name, judges[name]!);
    };
    assert.equal(label('qwen3-8b', 'qwen3:8b'), 'qwen3:8b');
    assert.equal(label('gpt-oss-20b', 'openai/gpt-oss-20b'), 'openai/gpt-oss-20b');
    assert.equal(label('careful', 'gpt-oss-20b'), 'careful (gpt-oss-20b)');
  });

  test('covers every type', () => {
    assert.deepEqual(Object.keys(config.judges).sort(), Object.keys(JUDGE_TYPES).sort());
  });

  test('uses a judge without asking the user only as far as the settings allow', () => {
    for (const choice of choices) {
      const effort = effortOf(choice.name);
      const asks = effort.requests.most > 0;
      assert.equal(choice.needsConfirmation, asks, choice.name);
      assert.equal(needsNoQuestion(choice, effort, effort.requests.most), true, choice.name);
      assert.equal(needsNoQuestion(choice, effort, effort.requests.most - 1), !asks, choice.name);
    }
  });

  test('a judge outside the product waits for trust', () => {
    const waiting = choices.filter(({ needsTrust }) => needsTrust).map(({ name }) => name);
    assert.deepEqual(waiting.sort(), ['debate', 'filter', 'lara', 'nli', 'openai', 'vscode']);
  });

  test('people cannot be chosen, nor can judges that guess', () => {
    assert.deepEqual(
      choices.filter(({ canJudge }) => !canJudge).map(({ name }) => name),
      ['labels'],
    );
    const guessing = Object.entries(config.judges).filter(([, judge]) => isGuessing(judge, config.judges));
    assert.deepEqual(
      guessing.map(([name]) => name),
      ['lexical'],
    );
    assert.ok(!choices.some(({ name }) => name === 'lexical'));
  });

  test('a filter counts as a guess if its judge does; a circle of filters does not', () => {
    const { judges } = configSchema.parse({
      judges: {
        outer: { type: 'filter', judges: ['lexical'], then: 'inner' },
        inner: { type: 'filter', judges: ['lexical'], then: 'lexical' },
        careful: { type: 'filter', judges: ['lexical'], then: 'openai' },
        openai: { type: 'openai', model: 'large' },
        round: { type: 'filter', judges: ['openai'], then: 'round' },
        lost: { type: 'filter', judges: ['openai'], then: 'nobody' },
      },
    });
    const guessing = Object.keys(judges).filter((name) => isGuessing(judges[name]!, judges));
    assert.deepEqual(guessing, ['outer', 'inner']);
    assert.deepEqual(
      ['outer', 'careful', 'lexical', 'labels', 'nobody'].map((name) => countingJudgeName(name, judges)),
      ['labels', 'careful', 'labels', 'labels', 'nobody'],
    );
  });

  test('defaults to people if no judge is configured or the chosen one guesses', () => {
    const chosen = (own: unknown, setting = 'auto'): string => {
      const parsed = configSchema.parse(own);
      return chooseJudge(judgeChoices(parsed), parsed, setting).name;
    };
    const overlap = { overlap: { type: 'lexical' } };
    const model = { model: { type: 'openai', model: 'm' } };
    assert.equal(chosen({}), 'labels');
    assert.equal(chosen({ judge: 'lexical' }), 'labels');
    assert.equal(chosen({}, 'lexical'), 'labels');
    assert.equal(chosen({ judges: overlap }), 'labels');
    assert.equal(chosen({ judges: { ...overlap, ...model } }), 'model');
    assert.equal(chosen({ judges: model, judge: 'labels' }), 'labels');
  });

  test('keeps the choice while the judge exists, then uses the workspace', () => {
    const config = configSchema.parse({ judge: 'new', judges: { new: { type: 'openai', model: 'm' } } });
    const judge = (remembered: string | undefined, setting = 'auto'): string =>
      rememberedJudge(config, remembered, setting).name;
    assert.equal(judge('labels'), 'labels');
    assert.equal(judge('renamed since'), 'new');
    assert.equal(judge('renamed since', 'labels'), 'labels');
    assert.equal(judge(undefined), 'new');
  });

  test('the writing model is that of a chat judge, through any number of judges', () => {
    const model = (name: string): string | undefined => chatJudgeOf(name, config.judges[name]!);
    assert.deepEqual(
      ['openai', 'vscode', 'debate', 'filter', 'lara', 'nli', 'lexical', 'labels'].map(model),
      ['openai', 'vscode', 'openai', 'openai', 'openai', undefined, undefined, undefined],
    );
  });

  test('parallax.json overrides built-in judges of the same name', () => {
    assert.deepEqual(Object.keys(BUILT_IN_JUDGES), ['labels', 'lexical', 'vscode']);
    assert.deepEqual(Object.keys(JUDGES_WITHOUT_EDITOR), ['labels', 'lexical']);
    const own = judgeChoices(configSchema.parse({ judges: { lexical: { type: 'openai', model: 'm' } } }));
    assert.deepEqual(
      own.map(({ name, label }) => [name, label]),
      [
        ['lexical', 'lexical (m)'],
        ['labels', 'People'],
        ['vscode', "The editor's language model"],
      ],
    );
  });
});
