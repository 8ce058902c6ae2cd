/**
 * The folder of a file determines what it may import. Tries every pair of folders and rooms, and checks that forbidden
 * imports fail.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { parse } from 'jsonc-parser';
import { codeFiles } from '../../scripts/lib/imports.mjs';
import { fileIn, FOLDERS, PUBLIC_FACE, ROOMS } from '../../scripts/lib/rooms.mjs';
import { problemsIn } from '../../scripts/rooms.mjs';

const WITH_NODE = [
  'src/site-thread',
  'src/engine',
  'src/cli',
  'src/features/papers/engine',
  'src/features/papers/cli',
  'src/extension',
];

const OXLINT = path.resolve('node_modules/oxlint/bin/oxlint');

/** The problems of a project with these files. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const base = mkdtempSync(path.join(tmpdir(), 'parallax-rooms-'));
  try {
    for (const folder of ['src', 'webview']) mkdirSync(path.join(base, folder));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
      writeFileSync(path.join(base, name), text);
    }
    return await problemsIn(base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

const importing = (from: string, ...targets: readonly string[]): string =>
  targets
    .map((to) => path.relative(path.dirname(from), to))
    .map((to, index) => `import type { T as T${index} } from '${to.startsWith('.') ? to : `./${to}`}';\n`)
    .join('') + 'export type T = 1;\n';

/** `from → to` of every problem except cycles. */
const refusals = (problems: readonly string[]): string[] =>
  problems
    .filter((problem) => !problem.endsWith(': a circle'))
    .map((problem) => problem.slice(0, problem.indexOf(': ')))
    .sort();

/** A file in a folder that belongs to its topmost room, which may import every other. */
function topOf(folder: string): string {
  const door = FOLDERS.find((each) => each.folder === folder)?.door;
  if (door !== undefined) return door;
  const room = (ROOMS as Record<string, readonly (readonly string[])[]>)[folder]?.at(-1)?.[0];
  return room === undefined ? `${folder}/probe.ts` : fileIn(folder, room, 'probe.ts');
}

describe('folders', () => {
  test('every import that the map does not allow is refused', async () => {
    const names = FOLDERS.map(({ folder }) => folder);
    const probes = new Map(names.map((name) => [name, topOf(name)]));
    const files = Object.fromEntries(
      [...probes].map(([name, file]) => [
        file,
        importing(file, ...names.filter((other) => other !== name).map((other) => probes.get(other)!)),
      ]),
    );
    const forbidden = FOLDERS.flatMap(({ folder, imports }) =>
      names
        .filter((other) => other !== folder)
        .filter(
          (other) =>
            !(imports as readonly string[]).includes(other) ||
            (['src/cli', 'src/features/papers/cli'].includes(folder) && other === 'src/engine'),
        )
        .map((other) => `${probes.get(folder)} → ${probes.get(other)}`),
    );
    assert.ok(forbidden.length > 30);
    assert.deepEqual(refusals(await problemsOf(files)), forbidden.sort());
  });

  test('a part of a feature keeps to the rules of its folder', async () => {
    const files = {
      'src/features/gate/core/x.ts': importing(
        'src/features/gate/core/x.ts',
        'src/features/gate/engine/x.ts',
      ),
      'src/features/gate/engine/x.ts': importing(
        'src/features/gate/engine/x.ts',
        'src/features/gate/contract/x.ts',
      ),
      'src/features/gate/contract/x.ts': importing(
        'src/features/gate/contract/x.ts',
        'src/features/gate/host/x.ts',
      ),
      'src/features/gate/host/x.ts': 'export type T = 1;\n',
      'src/features/gate/else/x.ts': 'export type T = 1;\n',
    };
    assert.deepEqual(refusals(await problemsOf(files)), [
      'src/features/gate/contract/x.ts → src/features/gate/host/x.ts',
      'src/features/gate/core/x.ts → src/features/gate/engine/x.ts',
      'src/features/gate/else/x.ts',
    ]);
  });

  test('the requests of a feature belong to the room of requests', async () => {
    const [requests, other] = ['src/features/gate/engine/requests.ts', 'src/features/gate/engine/x.ts'];
    const files = { [requests]: importing(requests, other), [other]: 'export type T = 1;\n' };
    assert.deepEqual(await problemsOf(files), []);
    const upward = { [requests]: 'export type T = 1;\n', [other]: importing(other, requests) };
    assert.deepEqual(refusals(await problemsOf(upward)), [`${other} → ${requests}`]);
  });

  test('no file of the papers is imported except their entry point', async () => {
    const files = {
      'src/features/papers/engine/x.ts': 'export type T = 1;\n',
      'src/engine/main.ts': importing('src/engine/main.ts', 'src/features/papers/engine/x.ts'),
    };
    assert.deepEqual(refusals(await problemsOf(files)), [
      'src/engine/main.ts → src/features/papers/engine/x.ts',
    ]);
  });

  test('the command line may import only the public face of the engine', async () => {
    const face = Object.fromEntries(PUBLIC_FACE.map((file) => [file, 'export type T = 1;\n']));
    const files = { ...face, 'src/cli/x.ts': importing('src/cli/x.ts', ...PUBLIC_FACE) };
    assert.deepEqual(await problemsOf(files), []);
  });

  test('refuses a file outside of every folder or room', async () => {
    const files = { 'src/new/x.ts': '', 'src/x.ts': '', 'src/engine/new/x.ts': '', 'webview/new/x.ts': '' };
    const problems = await problemsOf(files);
    assert.deepEqual(problems.map((problem) => problem.split(':')[0]).sort(), Object.keys(files).sort());
  });

  test('refuses a folder with more than 25 files', async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/core/text/${index}.ts`, '']));
    assert.deepEqual(await problemsOf(files(25)), []);
    assert.deepEqual(await problemsOf(files(26)), ['src/core/text: holds 26 files, more than 25']);
  });

  test('nothing imports tests or scripts', async () => {
    const files = {
      'test/x.ts': 'export type T = 1;\n',
      'src/engine/main.ts': importing('src/engine/main.ts', 'test/x.ts'),
    };
    assert.deepEqual(refusals(await problemsOf(files)), ['src/engine/main.ts → test/x.ts']);
  });

  for (const [module, allowed] of [
    ['node:fs', WITH_NODE],
    ['fs', WITH_NODE],
    ['vscode', ['src/extension']],
    ['lit', [...WITH_NODE, 'webview']],
    ['lit/html.js', [...WITH_NODE, 'webview']],
    ['zod', FOLDERS.map(({ folder }) => folder).filter((folder) => folder !== 'webview')],
    ['@vscode/l10n', FOLDERS.map(({ folder }) => folder)],
  ] as const)
    test(`${module} is imported only where it may be`, async () => {
      const probes = FOLDERS.map(({ folder }) => topOf(folder));
      const files = Object.fromEntries(
        probes.map((file) => [file, `import type * as x from '${module}';\nexport type T = typeof x;\n`]),
      );
      const forbidden = FOLDERS.filter(({ folder }) => !(allowed as readonly string[]).includes(folder));
      assert.deepEqual(
        refusals(await problemsOf(files)),
        forbidden.map(({ folder }) => `${topOf(folder)} → ${module.replace(/^node:/u, '')}`).sort(),
      );
    });
});

describe('rooms', () => {
  for (const [folder, floors] of Object.entries(ROOMS))
    test(`${folder}: no room imports a room beside or above it`, async () => {
      const rooms = floors.flatMap((names, floor) =>
        names.map((name) => ({
          floor,
          file: fileIn(folder, name, 'probe.ts'),
        })),
      );
      const files = Object.fromEntries(
        rooms.map(({ file }) => [
          file,
          importing(file, ...rooms.map((other) => other.file).filter((other) => other !== file)),
        ]),
      );
      const forbidden = rooms.flatMap(({ file, floor }) =>
        rooms
          .filter((other) => other.file !== file && other.floor >= floor)
          .map((other) => `${file} → ${other.file}`),
      );
      assert.ok(forbidden.length > 5);
      assert.deepEqual(refusals(await problemsOf(files)), forbidden.sort());
    });

  test('refuses a cycle, also of types', async () => {
    const files = {
      'src/core/text/a.ts': importing('src/core/text/a.ts', 'src/core/text/b.ts'),
      'src/core/text/b.ts': importing('src/core/text/b.ts', 'src/core/text/a.ts'),
    };
    assert.equal((await problemsOf(files)).filter((problem) => problem.endsWith(': a circle')).length, 2);
  });
});

describe('purity', () => {
  const base = mkdtempSync(path.join(tmpdir(), 'parallax-purity-'));
  after(() => rmSync(base, { recursive: true, force: true }));

  /** The rules that a file with this code breaks, with the names of their plugins. */
  function brokenBy(file: string, code: string): string[] {
    // Type-aware rules need the whole program, and these files exist only here.
    const config = { ...(parse(readFileSync('.oxlintrc.json', 'utf8')) as object), options: {} };
    mkdirSync(path.dirname(path.join(base, file)), { recursive: true });
    writeFileSync(path.join(base, '.oxlintrc.json'), JSON.stringify(config));
    writeFileSync(path.join(base, file), code);
    const { stdout } = spawnSync(process.execPath, [OXLINT, '--format=json', file], {
      cwd: base,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
    return diagnostics.map((each) => each.code);
  }

  for (const folder of [
    'src/core',
    'src/features/gate/core',
    'src/sites',
    'src/features/agents/tools',
    'src/features/papers/core',
  ])
    for (const [code, rule] of [
      ['export const now = Date.now();', 'no-restricted-properties'],
      ['export const r = Math.random();', 'no-restricted-properties'],
      ["export const r = fetch('x');", 'no-restricted-globals'],
    ] as const)
      test(`lint refuses ${code} in ${folder}`, () => {
        assert.deepEqual(brokenBy(`${folder}/x.ts`, code), [`eslint(${rule})`]);
      });

  for (const [file, code, rule] of [
    ['src/cli/x.ts', "import { readFile } from 'node:fs/promises';\nvoid readFile;", 'no-restricted-imports'],
    ['src/engine/x.ts', "import { request } from 'node:https';\nvoid request;", 'no-restricted-imports'],
    ['src/engine/x.ts', "export const r = fetch('x');", 'no-restricted-globals'],
    ['src/features/gate/cli/x.ts', "export const r = fetch('x');", 'no-restricted-globals'],
    [
      'src/features/gate/host/x.ts',
      'export const f = (fs: any) => fs.readFile();',
      'no-restricted-properties',
    ],
    ['src/extension/x.ts', 'export const f = (fs: any) => fs.readFile();', 'no-restricted-properties'],
    ['webview/x.ts', `try {\n  void 0;\n} catch {${''}}`, 'no-empty'],
  ] as const)
    test(`lint refuses ${code.replaceAll(/\s+/gu, ' ')} in ${path.dirname(file)}`, () => {
      assert.ok(brokenBy(file, code).includes(`eslint(${rule})`));
    });
});

test('no catch swallows an error: it handles it or says in code why not', () => {
  const swallowing = codeFiles()
    .filter((file) => /^(?:src|webview|test|bench)\/.*\.ts$/u.test(file))
    .filter((file) =>
      /catch\s*(?:\(\w+\)\s*)?\{(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*\}/u.test(readFileSync(file, 'utf8')),
    );
  assert.deepEqual(swallowing, []);
});
