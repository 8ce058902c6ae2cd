/** `npm run bench -- <name> [options]`: runs bench/<name>.ts under the project's own Node. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const [name, ...options] = process.argv.slice(2);
const file = `bench/${name}.ts`;
if (!name || !existsSync(file)) {
  const names = readdirSync('bench').filter((entry) => entry.endsWith('.ts'));
  process.stderr.write(`Which benchmark? ${names.map((entry) => entry.slice(0, -3)).join(', ')}\n`);
  process.exit(2);
}
process.exit(
  spawnSync('node_modules/.bin/node', ['--expose-gc', file, ...options], { stdio: 'inherit' }).status ?? 1,
);
