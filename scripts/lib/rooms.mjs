// Defines the folders and rooms of the project, and what each may import. `scripts/rooms.mjs` checks the sources
// against it and draws it in CONTRIBUTING.md; `test/unit/layers.test.ts` tests every rule.

import { isBuiltin } from 'node:module';

const PURE = ['@vscode/l10n', 'zod'];

/**
 * The rows of the map in CONTRIBUTING.md. `imports`: other folders whose files may be imported. `packages`: npm
 * packages by name; defaults to all. `node`: whether modules of Node are allowed. `editor`: whether the module `vscode`
 * is. `door`: the only file that other folders may import. `part`: the name of this folder's part of each feature, so
 * that `src/features/gate/engine` belongs to `src/engine`.
 */
export const FOLDERS = [
  {
    folder: 'src/core',
    part: 'core',
    imports: [],
    packages: [...PURE, 'csv-parse', 'ipaddr.js', 'jsonc-parser'],
  },
  { folder: 'src/evaluation', imports: ['src/core'], packages: PURE },
  { folder: 'src/shared', part: 'contract', imports: ['src/core', 'src/evaluation'], packages: PURE },
  {
    folder: 'src/sites',
    imports: ['src/core', 'src/evaluation', 'src/shared'],
    packages: [...PURE, '@vscode/tree-sitter-wasm'],
  },
  { folder: 'src/site-thread', imports: ['src/core', 'src/sites'], node: true },
  {
    folder: 'src/features/agents/tools',
    imports: ['src/core', 'src/evaluation', 'src/shared', 'src/sites'],
    packages: PURE,
  },
  {
    folder: 'src/engine',
    part: 'engine',
    imports: ['src/core', 'src/evaluation', 'src/shared', 'src/features/papers/engine'],
    node: true,
  },
  {
    folder: 'src/cli',
    part: 'cli',
    imports: [
      'src/core',
      'src/evaluation',
      'src/shared',
      'src/sites',
      'src/site-thread',
      'src/features/agents/tools',
      'src/engine',
      'src/features/papers/cli',
    ],
    node: true,
  },
  // The papers' experiments. Processes import only the door of each folder, which loads the rest on demand.
  { folder: 'src/features/papers/core', imports: ['src/core'], packages: PURE },
  {
    folder: 'src/features/papers/engine',
    imports: ['src/core', 'src/evaluation', 'src/shared', 'src/engine', 'src/features/papers/core'],
    node: true,
    door: 'src/features/papers/engine/door.ts',
  },
  {
    folder: 'src/features/papers/cli',
    imports: [
      'src/core',
      'src/evaluation',
      'src/shared',
      'src/engine',
      'src/cli',
      'src/features/papers/core',
    ],
    node: true,
    door: 'src/features/papers/cli/door.ts',
  },
  {
    folder: 'src/extension',
    part: 'host',
    imports: [
      'src/core',
      'src/evaluation',
      'src/shared',
      'src/sites',
      'src/site-thread',
      'src/features/agents/tools',
    ],
    node: true,
    editor: true,
  },
  {
    folder: 'webview',
    imports: ['src/core', 'src/evaluation', 'src/shared'],
    packages: ['@observablehq/plot', '@vscode/l10n', '@vscode/webview-ui-toolkit', 'lit'],
  },
];

/**
 * The rooms of a folder, floor by floor from the ground up: a room may import those on lower floors, but none on its
 * own floor or above. A room is a folder or a file; a named file belongs to no other room. `features/gate` is the part of
 * that feature which belongs to the folder; the requests of a feature's engine belong to the room `requests`.
 */
export const ROOMS = {
  'src/core': [
    ['counted.ts', 'read.ts', 'words.ts'],
    ['measured.ts'],
    ['errors.ts', 'model.ts', 'coverage-states.ts', 'text'],
    ['schema-issue.ts'],
    ['statistics', 'split', 'rerank', 'external', 'fusion.ts', 'embedding', 'call-sites'],
    ['likeness'],
    ['metrics', 'snippets.ts'],
    ['judging'],
    ['coverage.ts', 'expansion'],
    ['facts.ts'],
    ['projection', 'analysis', 'features/capture'],
    ['rerank/rerankers.ts'],
    ['pipeline.ts', 'formats'],
    ['pipeline-label.ts', 'pipeline-needs.ts'],
    [
      'features/explain',
      'features/behaviour',
      'features/lens',
      'features/gate',
      'features/validation',
      'features/web-corpus',
      'features/building',
      'features/eval-set-check',
    ],
    ['features/history', 'reports', 'features/review'],
  ],
  'src/engine': [
    ['types.ts', 'grown-array.ts', 'l10n.ts', 'without-secret.ts', 'host-calls.ts'],
    ['concurrency', 'slot-set.ts', 'kernels', 'network', 'files'],
    ['text-sums.ts'],
    ['bm25', 'dense', 'encoders'],
    ['store', 'embedders', 'rerankers'],
    ['corpus', 'derivation', 'external', 'features/history', 'judges/judge.ts'],
    ['models'],
    ['judgements', 'generation'],
    ['judges', 'retrieval'],
    ['corpora', 'features/validation'],
    ['features/web-corpus', 'features/capture', 'features/live'],
    ['retrieval/search-query.ts', 'retrieval/engine-services.ts', 'likeness'],
    ['features/look-deeper', 'features/behaviour'],
    ['experiment', 'features/explain'],
    ['features/compare'],
    ['features/gate', 'features/review'],
    ['features/building'],
    ['configured.ts'],
    ['engine-state.ts'],
    ['requests'],
    ['engine.ts'],
    ['server.ts'],
    ['main.ts'],
  ],
  'src/extension': [
    ['platform', 'models', 'tasks'],
    ['workspace'],
    ['engine-process'],
    ['judging', 'passages'],
    ['services'],
    [
      'features/agents',
      'features/building',
      'features/capture',
      'features/compare',
      'features/lens',
      'features/inspector',
      'features/live',
      'features/map',
      'features/retrievers',
      'features/review',
      'features/gate',
      'features/validation',
      'features/web-corpus',
    ],
    ['commands.ts'],
    ['app.ts'],
    ['main.ts'],
  ],
  webview: [
    ['components'],
    ['charts'],
    ['compare', 'agents', 'building', 'capture', 'history', 'inspector', 'map', 'review'],
  ],
};

/** The folders of the command line. */
const COMMAND_LINE = ['src/cli', 'src/features/papers/cli'];

/** The engine's public face, the only part that the command line may import. */
export const PUBLIC_FACE = [
  'src/engine/engine.ts',
  'src/engine/host-calls.ts',
  'src/engine/types.ts',
  'src/engine/concurrency/process-tree.ts',
  'src/engine/corpus/packed-argument.ts',
  'src/engine/files/read-input.ts',
  'src/engine/files/reading.ts',
  'src/engine/files/output-file.ts',
  'src/engine/network/outgoing.ts',
  'src/engine/store/temporary-folder.ts',
  'src/engine/store/writer-lock.ts',
  'src/engine/without-secret.ts',
];

/** @returns the folder of a file, or `undefined` for one outside of every folder */
export function folderOf(file) {
  return (
    FOLDERS.find(({ folder }) => file.startsWith(`${folder}/`)) ??
    FOLDERS.find(({ part }) => part !== undefined && part === featurePart(file)?.part)
  );
}

/** @returns the parts of a path such as `src/features/gate/engine/baselines.ts` */
function featurePart(file) {
  return /^src\/features\/(?<feature>[^/]+)\/(?<part>[^/]+)\/(?<rest>.+)$/u.exec(file)?.groups;
}

/** @returns the path of a file within its folder: `features/gate/baselines.ts` for a file of a feature */
function pathWithin({ folder }, file) {
  if (file.startsWith(`${folder}/`)) return file.slice(folder.length + 1);
  const { feature, part, rest } = featurePart(file);
  return part === 'engine' && /^requests[./]/u.test(rest)
    ? `requests/${feature}`
    : `features/${feature}/${rest}`;
}

/** @returns the path of a file of a room, for tests that probe its rules */
export function fileIn(folder, room, name) {
  if (room.endsWith('.ts')) return `${folder}/${room}`;
  const { part } = FOLDERS.find((each) => each.folder === folder);
  return room.startsWith('features/') ? `src/${room}/${part}/${name}` : `${folder}/${room}/${name}`;
}

/** @returns the room of a file with its floor, or `undefined` for one in no room */
export function roomOf(file) {
  const folder = folderOf(file);
  const floors = ROOMS[folder?.folder];
  if (!floors) return undefined;
  const rest = pathWithin(folder, file);
  const rooms = floors.flatMap((names, floor) => names.map((name) => ({ name, floor })));
  const own = ({ name }) => rest === name || (!name.endsWith('.ts') && rest.startsWith(`${name}/`));
  // If a file in a room has its own room, the longer name applies.
  return rooms.filter(own).sort((a, b) => b.name.length - a.name.length)[0];
}

/** Folders with more files than this must be divided, so that a change is easy to locate. */
const MAX_FILES = 25;

/** Folders with too many files, as a sentence each; `files` are all of the sources. */
export function crowdedFolders(files) {
  const counts = Map.groupBy(files, (file) => file.slice(0, file.lastIndexOf('/')));
  return [...counts]
    .filter(([, { length }]) => length > MAX_FILES)
    .map(([folder, { length }]) => `${folder}: holds ${length} files, more than ${MAX_FILES}`);
}

/** Why `from` may not import `to`, as a sentence. `undefined` if it may. Both are paths within the project. */
export function refusal(from, to) {
  const source = folderOf(from);
  const target = folderOf(to);
  if (!source) return undefined;
  if (!target)
    return to.endsWith('.json')
      ? undefined
      : `${source.folder} imports nothing from outside of src and webview`;
  if (source !== target) {
    if (!source.imports.includes(target.folder)) return `${source.folder} may not import ${target.folder}`;
    if (target.door && to !== target.door) return `${target.folder} is entered by ${target.door} alone`;
    if (COMMAND_LINE.includes(source.folder) && target.folder === 'src/engine' && !PUBLIC_FACE.includes(to))
      return `${source.folder} imports the public face of the engine alone`;
    return undefined;
  }
  const [room, other] = [roomOf(from), roomOf(to)];
  if (!room || !other || room.name === other.name || other.floor < room.floor) return undefined;
  const where = other.floor === room.floor ? 'is beside it' : 'is above it';
  return `the room ${room.name} of ${source.folder} may not import ${other.name}, which ${where}`;
}

/** Why a file may not import a module outside of the project. `undefined` if it may. */
export function moduleRefusal(from, module) {
  const folder = folderOf(from);
  if (!folder) return undefined;
  if (module === 'vscode')
    return folder.editor ? undefined : 'only src/extension and the host of a feature import the editor';
  if (isBuiltin(module)) return folder.node ? undefined : `${folder.folder} runs where there is no Node`;
  const name = module.split('/', module.startsWith('@') ? 2 : 1).join('/');
  if (!folder.packages || folder.packages.includes(name)) return undefined;
  return `${folder.folder} may not import the package ${name}`;
}

/** Files without a rule are in the wrong place. */
export function homelessness(file) {
  const folder = folderOf(file);
  if (!folder) return 'stands outside of every folder of the map';
  return ROOMS[folder.folder] && !roomOf(file) ? `is in no room of ${folder.folder}` : undefined;
}
