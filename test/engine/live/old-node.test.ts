/** Programs whose Node would end at the hooks do not get them. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { nodeHooks } from '../../../src/features/live/engine/node-hooks.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

test('a script of a package manager runs as it is if its folder or one above has an old Node', async (t) => {
  const folder = temporaryFolder(t);
  const base = path.join(folder, 'packages', 'app');
  const installed = path.join(folder, 'node_modules', 'node');
  for (const each of [base, installed]) mkdirSync(each, { recursive: true });
  const manifest = path.join(installed, 'package.json');
  const hooksFor = (program?: string, file = 'app.js'): Promise<unknown> =>
    nodeHooks({ texts: [{ file }], base, program });
  assert.deepEqual(await hooksFor('npm'), { node: true });
  writeFileSync(manifest, JSON.stringify({ name: 'node', version: '16.20.2' }));
  const old = { node: false, oldNode: 'v16.20.2' };
  for (const program of ['npm', 'npx', 'sh', undefined]) assert.deepEqual(await hooksFor(program), old);
  assert.deepEqual(await hooksFor(process.execPath), { node: true });
  assert.deepEqual(await hooksFor('npm', 'app.py'), { node: false });
  for (const version of ['18.19.0', '24.0.0']) {
    writeFileSync(manifest, JSON.stringify({ name: 'node', version }));
    assert.deepEqual(await hooksFor('npm'), { node: true }, version);
  }
});
