// Node 24 and its headers, both from the npm package `node`, whose install script fetches them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { npm, npmEnvironment, systemNode } from './npm.mjs';
import { run } from './processes.mjs';
import { headersSetting, MODULES, NODE, NODE_HEADERS, ROOT } from './project.mjs';

/** npm may be configured not to run install scripts; then it has not put Node on the PATH of `npm run` either. */
export async function ensureNode() {
  if (existsSync(NODE)) return;
  await fetchNode();
  await npm(['rebuild', 'node', '--ignore-scripts'], { cwd: ROOT, failure: 'npm could not link Node 24.' });
}

/** The binary stays, but npm's next installation removes the headers, because its lock file does not contain them. */
export async function ensureHeaders() {
  const needed = Object.keys(headersSetting()).length > 0;
  if (needed && !existsSync(join(NODE_HEADERS, 'include', 'node', 'node_api.h'))) await fetchNode();
}

async function fetchNode() {
  await run(systemNode(), ['installArchSpecificPackage.js'], {
    cwd: join(MODULES, 'node'),
    env: npmEnvironment(),
    failure: 'Node 24 could not be installed: run "npm ci" and see why.',
  });
}
