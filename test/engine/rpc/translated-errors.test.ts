/** Sentences with several parts reach the editor completely translated. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { EngineClient } from '../../../src/extension/engine-process/engine-client.ts';
import { l10nBundle } from '../../../scripts/l10n.mjs';
import { engineConfig } from '../../fixtures/workspace.ts';
import '../../fixtures/built.ts';
import { engineBundle } from '../../fixtures/engine-bundle.ts';

const ENGINE = await engineBundle();

/** Every text in brackets, as translators currently get it. */
let texts: string;
before(async () => {
  const english = JSON.parse(await l10nBundle()) as Record<string, string | { readonly message: string }>;
  texts = JSON.stringify(
    Object.fromEntries(
      Object.entries(english).map(([key, text]) => [
        key,
        `⟦${typeof text === 'string' ? text : text.message}⟧`,
      ]),
    ),
  );
});

interface Setup {
  readonly client: EngineClient;
  readonly folder: string;
}

function setUp(t: TestContext, include: readonly string[] = []): Setup {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-translated-'));
  mkdirSync(path.join(folder, 'docs'));
  writeFileSync(path.join(folder, 'docs/cats.md'), '# Cats\n\nCats sleep most of the day.\n');
  writeFileSync(path.join(folder, 'texts.json'), texts);
  const client = new EngineClient({
    enginePath: ENGINE,
    texts: { file: path.join(folder, 'texts.json'), language: 'de' },
    config: async () =>
      engineConfig(folder, { corpora: { pets: { roots: ['docs'], include: [...include] } } }),
    complete: () => Promise.reject(new Error('No model is asked.')),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  t.after(() => {
    client.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  return { client, folder };
}

/** The sentence of the error that a request ends with. */
async function complaint(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ParallaxError, String(error));
  return error.message;
}

const index = ({ client }: Setup): Promise<unknown> =>
  client.request('index', { corpus: 'pets', rebuild: false });

const search = ({ client }: Setup, pipeline: PipelineInput): Promise<unknown> =>
  client.request('search', {
    corpus: 'pets',
    query: { text: 'who sleeps?' },
    perspectives: [],
    pipeline: parsePipeline(pipeline),
  });

describe('the engine in another language', () => {
  test('a sentence of the corpus readers', async (t) => {
    assert.equal(
      await complaint(index(setUp(t, ['+(a|b*)*(c)']))),
      '⟦The glob pattern "+(a|b*)*(c)" repeats a group that has wildcards or groups in it.⟧',
    );
  });

  test('a nested sentence: an unreadable line of a file', async (t) => {
    const setup = setUp(t);
    await index(setup);
    writeFileSync(path.join(setup.folder, 'generated.jsonl'), 'no JSON\n');
    const said = await complaint(
      search(setup, {
        retriever: { type: 'bm25' },
        expansion: { type: 'perspectives', perspectives: 'file', file: 'generated.jsonl' },
      }),
    );
    assert.match(
      said,
      /^⟦⟦Not a file of proposed perspectives \(question, generated\)⟧\. ⟦Line 1: ⟦not JSON \(.*\)⟧⟧\.⟧/u,
    );
  });

  test('a sentence with names in it', async (t) => {
    const setup = setUp(t);
    await index(setup);
    const pipeline: PipelineInput = { retriever: { type: 'dense', embedder: 'nobody' } };
    assert.equal(
      await complaint(search(setup, pipeline)),
      '⟦There is no embedder "nobody". Available: meaning, hashing. Add it to parallax.json.⟧',
    );
  });

  test('omitted files have a reason', async (t) => {
    const setup = setUp(t);
    writeFileSync(path.join(setup.folder, 'docs/table.jsonl'), '{"text": ""}\nno JSON\n');
    writeFileSync(path.join(setup.folder, 'docs/empty.md'), '');
    await index(setup);
    const { files } = await setup.client.request('skipped', { corpus: 'pets' });
    assert.equal(files.length, 2);
    for (const { message } of files) assert.match(message, /^⟦.*⟧$/u);
  });
});
