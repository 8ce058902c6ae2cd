/** What the editor loads at startup, whether Parallax is used or not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from 'esbuild';

/** Source files and their bytes in the activation bundle. */
async function loadedAtStart(): Promise<Map<string, number>> {
  const { metafile } = await build({
    entryPoints: ['src/extension/main.ts'],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode', './app.ts', './known-imports.ts'],
    outdir: 'unused',
  });
  const [output] = Object.values(metafile.outputs);
  return new Map(Object.entries(output!.inputs).map(([file, { bytesInOutput }]) => [file, bytesInOutput]));
}

test('activation loads names and registrations only: no settings, schemas or measures', async () => {
  const loaded = await loadedAtStart();
  const heavy = [...loaded.keys()].filter((file) =>
    /^src\/(?:engine|core\/(?!errors|counted)|features\/(?:[^/]+\/(?:core|engine)\/|agents\/tools\/(?!names))|shared\/manifest\/settings)|node_modules\/(?!@vscode\/l10n)/u.test(
      file,
    ),
  );
  assert.deepEqual(heavy, []);
  const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < 30_000, `${bytes} bytes are read and compiled before the editor goes on`);
});
