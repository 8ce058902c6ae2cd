/** The engine's messages are in the language of the editor's file, or in English without one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import { engineConfig } from '../../fixtures/workspace.ts';
import '../../fixtures/built.ts';
import { engineBundle } from '../../fixtures/engine-bundle.ts';

const ENGINE = await engineBundle();

/** A sentence of the engine, and its translation. */
const ENGLISH = 'There is no corpus "{0}" in parallax.json.';
const GERMAN = 'In parallax.json gibt es keinen Korpus „{0}“.';

/** An engine's error with these texts about a missing corpus, and its log. */
async function complaint(t: TestContext, texts?: string): Promise<{ said: string; log: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-texts-'));
  const file = path.join(folder, 'bundle.l10n.de.json');
  if (texts !== undefined) writeFileSync(file, texts);
  const log: string[] = [];
  const note = (message: string): void => void log.push(message);
  const client = new EngineClient({
    enginePath: ENGINE,
    texts: { file, language: 'de' },
    config: async () => engineConfig(folder, {}),
    complete: () => Promise.reject(new Error('No model is asked.')),
    log: { info: note, warn: note, error: note },
  });
  t.after(() => {
    client.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const pipeline = parsePipeline({ retriever: { type: 'bm25' } });
  const search = client.request('search', {
    corpus: 'pets',
    query: { text: 'who barks?' },
    perspectives: [],
    pipeline,
  });
  const error = await search.catch((reason: unknown) => reason);
  assert.ok(ParallaxError.is(error, 'not-found'), String(error));
  return { said: error.message, log: log.join('\n') };
}

test('the engine speaks the language of the file', async (t) => {
  const { said, log } = await complaint(t, JSON.stringify({ [ENGLISH]: GERMAN }));
  assert.equal(said, 'In parallax.json gibt es keinen Korpus „pets“.');
  assert.doesNotMatch(log, /speaks English/u);
});

for (const [what, texts] of [
  ['is missing', undefined],
  ['is no JSON', '{ "There is'],
] as const)
  test(`the engine speaks English if the file ${what}, and logs that`, async (t) => {
    const { said, log } = await complaint(t, texts);
    assert.equal(said, 'There is no corpus "pets" in parallax.json.');
    assert.match(log, /The engine speaks English, for .*bundle\.l10n\.de\.json cannot be read: /u);
  });

test('texts that the file lacks are English', async (t) => {
  const { said } = await complaint(t, '{}');
  assert.equal(said, 'There is no corpus "pets" in parallax.json.');
});

test('counts have the plural forms of that language', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-texts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'bundle.l10n.pl.json');
  writeFileSync(
    file,
    JSON.stringify({ '{0} [0:question|questions]': '{0} [0:zapytanie|zapytania|zapytań|zapytania]' }),
  );
  const script =
    "await import('./src/engine/l10n.ts'); const { counts } = await import('./src/core/counted.ts'); " +
    'console.log([1, 3, 12345].map(counts.questions).join());';
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, PARALLAX_TEXTS: file, PARALLAX_LANGUAGE: 'pl' },
    encoding: 'utf8',
  });
  assert.equal(text.trim(), '1 zapytanie,3 zapytania,12\u00a0345 zapytań');
});
