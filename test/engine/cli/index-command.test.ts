/** `parallax index` without a path. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { run } from './support.ts';

async function workspace(t: TestContext, corpora: object): Promise<{ config: string[]; store: string[] }> {
  const folder = temporaryFolder(t);
  for (const name of ['frogs', 'moths']) {
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, `${name}.md`), `About ${name}.\n\nMore about ${name}.\n`);
  }
  await writeFile(path.join(folder, 'parallax.json'), JSON.stringify({ corpora }));
  return {
    config: ['--config', path.join(folder, 'parallax.json')],
    store: ['--store', path.join(folder, 'store')],
  };
}

test('indexes every corpus of parallax.json for the other commands', async (t) => {
  const { config, store } = await workspace(t, {
    frogs: { roots: ['frogs'] },
    moths: { roots: ['moths'], split: { type: 'sentences', size: 1, overlap: 0 } },
  });
  const indexed = await run(indexCommand, ...config, ...store);
  assert.equal(indexed.code, 0, indexed.stderr);
  assert.match(indexed.stdout, /^frogs: 1 document, 1 passage in [^]*^moths: 1 document, 2 passages in /mu);
  const found = await run(searchCommand, 'moths', ...config, ...store, '--corpus', 'moths');
  assert.match(found.stdout, /moths\.md/u);
  const again = await run(indexCommand, ...config, ...store);
  assert.match(again.stdout, /moths: [^\n]*1 unchanged/u);
});

test('gives advice if there is nothing to index, or an option has no effect', async (t) => {
  const none = await workspace(t, {});
  await assert.rejects(run(indexCommand, ...none.config, ...none.store), /Name at least one file or folder/u);
  const one = await workspace(t, { frogs: { roots: ['frogs'] } });
  await assert.rejects(
    run(indexCommand, ...one.config, ...one.store, '--split', 'none'),
    /--split is for files and folders/u,
  );
});

test('stopped between two corpora, it keeps finished work and can continue', async (t) => {
  const { config, store } = await workspace(t, { frogs: { roots: ['frogs'] }, moths: { roots: ['moths'] } });
  const stopped = (text: string): void => {
    if (text.startsWith('moths')) throw new Error('stopped');
  };
  const io = { stdout: stopped, stderr: () => undefined };
  await assert.rejects(indexCommand([...config, ...store], io), /^Error: stopped$/u);
  const on = await run(indexCommand, ...config, ...store);
  assert.match(on.stdout, /^frogs: [^\n]*1 unchanged[^]*^moths: [^\n]*1 new/mu);
});

test('a search of a small corpus waits until it is fully embedded', async (t) => {
  const { config } = await workspace(t, { frogs: { roots: ['frogs'], split: { type: 'none' } } });
  const folder = path.join(path.dirname(config[1]!), 'frogs');
  for (let n = 0; n < 120; n++)
    await writeFile(
      path.join(folder, `${n}.md`),
      `The frog of pond ${n} sleeps in the mud by day and sings at night.\n`,
    );
  const { stderr } = await run(searchCommand, 'frogs', ...config, '--corpus', 'frogs');
  assert.doesNotMatch(stderr, /so far/u);
});

test('a search of a large corpus says how little is embedded, until --vectors has embedded all', async (t) => {
  const { config, store } = await workspace(t, { ponds: { roots: ['ponds.jsonl'] } });
  const records = Array.from({ length: 1_010 }, (_, n) =>
    JSON.stringify({ _id: `${n}`, text: `This is the frog of pond ${n} and it sings.` }),
  );
  await writeFile(path.join(path.dirname(config[1]!), 'ponds.jsonl'), records.join('\n'));
  const search = () => run(searchCommand, 'Which frog sings?', ...config, ...store, '--corpus', 'ponds');
  const before = await search();
  assert.match(before.stderr, /^Only 100 of 1,010 passages are ranked by meaning so far/mu);
  const indexed = await run(indexCommand, ...config, ...store, '--vectors');
  assert.match(indexed.stdout, /^Every passage is embedded\.$/mu);
  const after = await search();
  assert.doesNotMatch(after.stderr, /so far/u);
});
