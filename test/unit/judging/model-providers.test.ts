/** Setting up a model: its provider, its name and its description. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  abilitiesText,
  azureEndpoint,
  judgeName,
  providerDetails,
  PROVIDERS,
} from '../../../src/extension/judging/model-providers.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';

test('every provider has a description, and local ones a local address', () => {
  for (const provider of PROVIDERS) {
    const { label, detail, baseUrl, local } = providerDetails(provider);
    assert.ok(label !== '' && detail !== '', provider);
    if (local) assert.equal(new URL(baseUrl!).hostname, '127.0.0.1');
  }
});

test('a deployment of Azure, by resource name or address, is a judge', () => {
  const byName = azureEndpoint('acme', 'my judge');
  assert.equal(byName.baseUrl, 'https://acme.openai.azure.com/openai/deployments/my%20judge');
  assert.deepEqual(azureEndpoint('https://acme.openai.azure.com/openai/v1/', 'my judge'), byName);
  const judge = judgeSchema.parse({ type: 'openai', ...byName, key: 'azure' });
  assert.ok(judge.type === 'openai' && judge.keyHeader === 'api-key');
});

test('a judge is named after its model, with a unique name', () => {
  assert.equal(judgeName('qwen/qwen3-8b:free', []), 'qwen3-8b-free');
  assert.equal(judgeName('gpt', ['gpt', 'gpt-2']), 'gpt-3');
  assert.equal(judgeName('///', []), 'model');
});

test('describes the result of the test request', () => {
  assert.equal(
    abilitiesText({ json: true, tokenProbabilities: false }),
    'It returns JSON when asked and gives no token probabilities.',
  );
});
