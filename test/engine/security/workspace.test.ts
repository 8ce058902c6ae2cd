/** A hostile workspace that is not trusted: it names, and links to, files outside its folder. */
import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import type { RequestContext } from '../../../src/engine/requests/request.ts';
import { configSchema, LABELS_FILE, type ParallaxConfig } from '../../../src/shared/config.ts';
import type { EngineConfig } from '../../../src/shared/requests/configuration.ts';
import { engineMethods, type Params } from '../../../src/shared/rpc.ts';
import '../../fixtures/built.ts';

const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };
const SECRET = 'The password of the neighbour is xyzzy.';
const QUERY = { id: 'q', text: 'password', perspectives: [{ id: 'p', text: 'It is known.' }] };
const EVAL_LINE = `${JSON.stringify({ id: 'q', question: 'password', perspectives: ['It is known.'] })}\n`;

interface Opened {
  readonly engine: Engine;
  /** The open folder. */
  readonly folder: string;
  /** A folder beside it, with `secret.txt`. */
  readonly outside: string;
  /** Writes parallax.json and configures the engine with it. */
  open(config: object, trusted?: boolean): Promise<ParallaxConfig>;
}

async function workspace(t: TestContext): Promise<Opened> {
  const root = mkdtempSync(path.join(tmpdir(), 'parallax-hostile-'));
  const [folder, outside] = [path.join(root, 'workspace'), path.join(root, 'outside')] as const;
  for (const each of [path.join(folder, 'docs'), outside]) mkdirSync(each, { recursive: true });
  writeFileSync(path.join(folder, 'docs', 'own.txt'), 'The own document.');
  writeFileSync(path.join(outside, 'secret.txt'), SECRET);
  const engine = createEngine(undefined, () => undefined);
  t.after(async () => {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
  });
  const open = async (input: object, trusted = false): Promise<ParallaxConfig> => {
    const config = configSchema.parse(input);
    await engine.configure({
      storage: path.join(root, 'storage'),
      base: folder,
      trusted,
      corpora: Object.entries(config.corpora).map(([name, corpus]) => ({
        name,
        base: folder,
        config: corpus,
        excludeGlobs: [],
        fenced: !trusted,
        store: path.join(root, 'storage', name),
      })),
      embedders: {},
      judges: {},
      keys: {},
      labelsFile: path.join(folder, LABELS_FILE),
      approximateAbove: 100_000,
    } satisfies EngineConfig);
    return config;
  };
  return { engine, folder, outside, open };
}

/** With all defaults, as it is sent. */
const engineSearch = (search: object): Params<'search'> => engineMethods.search.params.parse(search);
const docs = (change: object): object => ({ corpora: { docs: { roots: ['docs'], ...change } } });
const isUntrusted = (error: unknown): boolean => ParallaxError.is(error, 'untrusted');

/** All search results once everything readable is indexed. */
async function found({ engine }: Opened): Promise<string[]> {
  await engine.index({ corpus: 'docs', rebuild: false }, context);
  const texts = ['password', 'own document'].map(async (text) => {
    const search = {
      corpus: 'docs',
      query: { text },
      perspectives: [],
      pipeline: { retriever: { type: 'bm25' as const } },
    };
    return (await engine.search(engineSearch(search), context)).candidates;
  });
  return (await Promise.all(texts)).flat().map(({ text }) => text);
}

describe('a corpus that leads out of the folder', () => {
  const cases: Readonly<Record<string, (opened: Opened) => object>> = {
    'through its roots': () => docs({ roots: ['docs', '../outside'] }),
    'through an absolute root': ({ outside }) => docs({ roots: ['docs', outside] }),
    'through a root that is a link': ({ folder, outside }) => {
      symlinkSync(outside, path.join(folder, 'linked'));
      return docs({ roots: ['docs', 'linked'] });
    },
    'through a link to a folder that it says to follow': ({ folder, outside }) => {
      symlinkSync(outside, path.join(folder, 'docs', 'more'));
      return docs({ followSymlinks: true });
    },
    'through a link to a file that it says to follow': ({ folder, outside }) => {
      symlinkSync(path.join(outside, 'secret.txt'), path.join(folder, 'docs', 'more.txt'));
      return docs({ followSymlinks: true });
    },
  };
  for (const [way, prepare] of Object.entries(cases))
    it(`${way} is read only in a trusted workspace`, async (t) => {
      const opened = await workspace(t);
      const config = prepare(opened);
      await opened.open(config);
      assert.deepEqual(await found(opened), ['The own document.']);
      const { files } = await opened.engine.skipped({ corpus: 'docs' });
      assert.deepEqual(
        files.map(({ reason }) => reason),
        ['outside'],
      );
      assert.match(files[0]!.message, /once you trust/u);

      await opened.open(config, true);
      assert.deepEqual((await found(opened)).sort(), ['The own document.', SECRET]);
    });

  it('is not shown through a document that became a link after indexing', async (t) => {
    const opened = await workspace(t);
    writeFileSync(path.join(opened.folder, 'docs', 'page.html'), '<p>A page.');
    await opened.open(docs({}));
    await opened.engine.index({ corpus: 'docs', rebuild: false }, context);
    const page = { corpus: 'docs', documentId: 'docs/page.html' };
    assert.match((await opened.engine.documentText(page, context)).text, /A page/u);
    rmSync(path.join(opened.folder, 'docs', 'page.html'));
    symlinkSync(path.join(opened.outside, 'secret.txt'), path.join(opened.folder, 'docs', 'page.html'));
    await assert.rejects(opened.engine.documentText(page, context), (error) =>
      ParallaxError.is(error, 'not-found'),
    );
  });

  it('is not followed through links without a setting, even if trusted', async (t) => {
    const opened = await workspace(t);
    symlinkSync(opened.outside, path.join(opened.folder, 'docs', 'more'));
    await opened.open(docs({}), true);
    assert.deepEqual(await found(opened), ['The own document.']);
    assert.match((await opened.engine.skipped({ corpus: 'docs' })).files[0]!.message, /followSymlinks/u);
  });
});

/** Labels the only passage. The text would be a command if it were in a shell profile. */
async function label({ engine }: Opened): Promise<void> {
  const search = engineSearch({
    corpus: 'docs',
    query: { text: 'own document' },
    perspectives: [],
    pipeline: { retriever: { type: 'bm25' } },
  });
  const [passage] = (await engine.search(search, context)).candidates;
  await engine.label({
    corpus: 'docs',
    slot: passage!.slot,
    query: { id: QUERY.id, text: QUERY.text },
    perspective: { id: 'p', text: '$(touch owned)' },
    verdict: 'yes',
    by: 'me',
  });
}

describe('labels in an untrusted workspace', () => {
  const indexed = async (opened: Opened, trusted = false): Promise<void> => {
    await opened.open(docs({}), trusted);
    await opened.engine.index({ corpus: 'docs', rebuild: false }, context);
  };

  it('are written to their file', async (t) => {
    const opened = await workspace(t);
    await indexed(opened);
    await label(opened);
    assert.match(readFileSync(path.join(opened.folder, LABELS_FILE), 'utf8'), /touch owned/u);
  });

  it('are not written through a link instead of their file, even if trusted', async (t) => {
    const opened = await workspace(t);
    const profile = path.join(opened.outside, 'profile');
    writeFileSync(profile, 'export A=1\n');
    mkdirSync(path.join(opened.folder, path.dirname(LABELS_FILE)));
    symlinkSync(profile, path.join(opened.folder, LABELS_FILE));
    await indexed(opened);
    await assert.rejects(label(opened), isUntrusted);
    assert.equal(readFileSync(profile, 'utf8'), 'export A=1\n');
    await indexed(opened, true);
    await assert.rejects(label(opened), isUntrusted);
    assert.equal(readFileSync(profile, 'utf8'), 'export A=1\n');
  });

  it('are not written through a link instead of their folder', async (t) => {
    const opened = await workspace(t);
    symlinkSync(opened.outside, path.join(opened.folder, path.dirname(LABELS_FILE)));
    await indexed(opened);
    await assert.rejects(label(opened), isUntrusted);
    assert.deepEqual(readdirSync(opened.outside), ['secret.txt']);
  });

  it('are not written through a dangling link', async (t) => {
    const opened = await workspace(t);
    mkdirSync(path.join(opened.folder, path.dirname(LABELS_FILE)));
    symlinkSync(path.join(opened.outside, 'new'), path.join(opened.folder, LABELS_FILE));
    await indexed(opened);
    await assert.rejects(label(opened), isUntrusted);
    assert.deepEqual(readdirSync(opened.outside), ['secret.txt']);
  });
});

describe('an evaluation that leads out of the folder', () => {
  const evaluated = { ask: false as const };

  it('reads no eval set there', async (t) => {
    const opened = await workspace(t);
    writeFileSync(path.join(opened.outside, 'set.jsonl'), EVAL_LINE);
    mkdirSync(path.join(opened.folder, 'eval'));
    symlinkSync(path.join(opened.outside, 'set.jsonl'), path.join(opened.folder, 'eval', 'set.jsonl'));
    for (const pattern of [
      '../outside/*.jsonl',
      '{..,eval}/outside/*.jsonl',
      `${opened.outside}/*.jsonl`,
      'eval/*.jsonl',
    ]) {
      const config = await opened.open({ ...docs({}), evalSets: [pattern] });
      await opened.engine.index({ corpus: 'docs', rebuild: false }, context);
      await assert.rejects(
        opened.engine.evaluate({ config, ...evaluated, baseline: 'none' }, context),
        isUntrusted,
        pattern,
      );
    }
  });

  it('neither reads nor writes a baseline there', async (t) => {
    const opened = await workspace(t);
    writeFileSync(path.join(opened.folder, 'set.jsonl'), EVAL_LINE);
    cpSync(path.join(opened.outside, 'secret.txt'), path.join(opened.outside, 'baseline.json'));
    const gate = { pipelines: ['bm25'], baseline: { file: '../outside/baseline.json' } };
    const config = await opened.open({ ...docs({}), evalSets: ['set.jsonl'], gate });
    await opened.engine.index({ corpus: 'docs', rebuild: false }, context);
    await assert.rejects(
      opened.engine.evaluate({ config, ...evaluated, baseline: 'required' }, context),
      isUntrusted,
    );
    await assert.rejects(opened.engine.acceptBaseline({ config, ...evaluated }, context), isUntrusted);
    assert.equal(readFileSync(path.join(opened.outside, 'baseline.json'), 'utf8'), SECRET);
  });
});

describe('a pipeline that names files outside', () => {
  it('reads no proposed perspectives there', async (t) => {
    const opened = await workspace(t);
    const line = JSON.stringify({ question: 'password', generated: ['It is known.'] });
    writeFileSync(path.join(opened.outside, 'proposed.jsonl'), `${line}\n`);
    const pipeline = {
      retriever: { type: 'bm25' as const },
      expansion: {
        type: 'perspectives' as const,
        perspectives: 'file' as const,
        file: '../outside/proposed.jsonl',
      },
    };
    const search = engineSearch({ corpus: 'docs', query: { text: 'password' }, perspectives: [], pipeline });
    await opened.open(docs({}));
    await opened.engine.index({ corpus: 'docs', rebuild: false }, context);
    await assert.rejects(opened.engine.search(search, context), isUntrusted);
    await opened.open(docs({}), true);
    await opened.engine.search(search, context);
  });
});
