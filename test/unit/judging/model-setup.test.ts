/** "Set Up a Model…" keeps the input until a model answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { fakeEditor } from '../../fixtures/fake-editor.ts';

interface Shown {
  readonly title?: string;
  readonly value?: string;
}

const offered: Shown[] = [];
const errors: string[] = [];
let typed: string[] = [];
let changes = true;

fakeEditor(
  {},
  {
    showQuickPick: (items: readonly { provider?: string }[]) =>
      Promise.resolve(items.find(({ provider }) => provider === 'openai') ?? items[0]),
    showInputBox: (box: Shown) => {
      offered.push(box);
      return Promise.resolve(typed.shift());
    },
    showErrorMessage: (message: string, button: string) => {
      errors.push(message);
      return Promise.resolve(changes ? button : undefined);
    },
    showInformationMessage: () => Promise.resolve(undefined),
    withProgress: (_: object, work: (progress: object, token: object) => Promise<unknown>) =>
      work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
  },
);
const { ModelSetup } = await import('../../../src/extension/judging/model-setup.ts');

function setUp(keys: readonly string[]) {
  const stored: string[] = [];
  const requests: string[] = [];
  const parts = {
    engine: {
      request: (method: string, { key }: { key?: string }) => {
        requests.push(method);
        if (!keys.includes(key ?? ''))
          return Promise.reject(new ParallaxError('model-key', 'It does not accept this API key (401).'));
        return Promise.resolve(
          method === 'listModels' ? { models: [] } : { json: true, tokenProbabilities: false },
        );
      },
    },
    keys: { store: (name: string, value: string) => Promise.resolve(void stored.push(`${name} ${value}`)) },
    configFile: { edit: () => Promise.resolve() },
    workspace: () => ({ config: { judges: {}, pipelines: {} } }),
    trusted: () => true,
    judge: () => 'labels',
    choose: () => Promise.resolve(),
  };
  return { setup: new ModelSetup(parts as never), stored, requests };
}

test('reports a refused key at once and offers the input again', async () => {
  const { setup, stored, requests } = setUp(['good']);
  typed = ['bad', 'good', 'some-model'];
  await setup.run();
  assert.deepEqual(errors.splice(0), ['It does not accept this API key (401).']);
  assert.deepEqual(
    offered.splice(0).map(({ title, value }) => [title, value]),
    [
      ['API key', ''],
      ['API key', 'bad'],
      ['Which model?', ''],
    ],
  );
  assert.deepEqual(stored, ['openai good']);
  assert.deepEqual(requests, ['listModels', 'listModels', 'testModel'], 'nobody is asked for a model before');
});

test('keeps the input after cancelling', async () => {
  const { setup, stored } = setUp([]);
  changes = false;
  typed = ['bad'];
  await setup.run();
  await setup.run();
  changes = true;
  assert.deepEqual(
    offered.splice(0).map(({ value }) => value),
    ['', 'bad'],
  );
  assert.deepEqual(stored, []);
  errors.length = 0;
});
