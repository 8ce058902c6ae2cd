/** "Measure My Retriever…" leaves no unused files in the user's repository. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fakeEditor } from '../../fixtures/fake-editor.ts';

const files = new Map<string, Uint8Array>();
let dirty: string[] = [];
const found = (path: string): Promise<Uint8Array> => {
  const bytes = files.get(path);
  return bytes ? Promise.resolve(bytes) : Promise.reject(new Error('There is no such file.'));
};
fakeEditor({
  isTrusted: true,
  get textDocuments() {
    return dirty.map((path) => ({ uri: { path }, isDirty: true }));
  },
  fs: {
    stat: async ({ path }: { path: string }) => ({ type: 1, size: (await found(path)).length }),
    readFile: ({ path }: { path: string }) => found(path),
    writeFile: ({ path }: { path: string }, bytes: Uint8Array) =>
      Promise.resolve(void files.set(path, bytes)),
    delete: ({ path }: { path: string }) => Promise.resolve(void files.delete(path)),
  },
});
const { GeneratedFiles } = await import('../../../src/features/lens/host/measure-site.ts');

const uri = (path: string) => ({ path }) as never;
const bytes = (text: string) => new TextEncoder().encode(text);

async function generated(): Promise<InstanceType<typeof GeneratedFiles>> {
  const own = new GeneratedFiles();
  await own.write(uri('/program.py'), 'serve()');
  await own.write(uri('/helper.py'), 'helper');
  return own;
}

beforeEach(() => {
  files.clear();
  dirty = [];
});

test('removes unchanged files when the wizard is cancelled', async () => {
  const own = await generated();
  assert.deepEqual([...files.keys()], ['/program.py', '/helper.py']);
  await own.discard();
  assert.deepEqual([...files.keys()], []);
});

test('keeps a program that the user has edited, with its helper', async () => {
  const own = await generated();
  files.set('/program.py', bytes('serve(mine)'));
  await own.discard();
  assert.equal(files.size, 2);
  files.set('/program.py', bytes('serve()'));
  dirty = ['/program.py'];
  await own.discard();
  assert.equal(files.size, 2);
});

test('keeps an existing file unchanged', async () => {
  files.set('/helper.py', bytes('of the user'));
  await (await generated()).discard();
  assert.deepEqual([...files.keys()], ['/helper.py']);
});
