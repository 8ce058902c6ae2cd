// `npm run package:npm`: builds the command line and packs it as dist/parallax-rag-<version>.tgz.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { npm } from './lib/npm.mjs';
import { stageNpmPackage } from './lib/npm-package.mjs';
import { main, run } from './lib/processes.mjs';
import { DIST, NODE, ROOT } from './lib/project.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  await setUp();
  await run(NODE, ['esbuild.mjs'], { cwd: ROOT, failure: 'The command line could not be built.' });
  const folder = mkdtempSync(join(tmpdir(), 'parallax-npm-'));
  try {
    stageNpmPackage(folder);
    await npm(['pack', folder, '--pack-destination', DIST], {
      node: NODE,
      failure: 'npm could not pack it.',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
