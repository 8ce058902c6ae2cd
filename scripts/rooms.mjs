// Checks the imports of the sources against the rooms of `scripts/lib/rooms.mjs`: imports only from lower floors and
// allowed folders, no cycles (types included), no file outside of every room, and an up-to-date picture in
// CONTRIBUTING.md. `node scripts/rooms.mjs --draw` draws the picture again.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cruise } from 'dependency-cruiser';
import { Failure, isMain, main } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';
import {
  crowdedFolders,
  FOLDERS,
  folderOf,
  homelessness,
  moduleRefusal,
  refusal,
  ROOMS,
} from './lib/rooms.mjs';

/** The sources with their imports, including types. */
async function importsOf(base) {
  const { output } = await cruise(['src', 'webview'], {
    baseDir: base,
    tsPreCompilationDeps: true,
    exclude: { path: '^src/engine/kernels/assembly' },
    doNotFollow: { path: 'node_modules' },
    validate: true,
    ruleSet: { forbidden: [{ name: 'no-circle', severity: 'error', from: {}, to: { circular: true } }] },
  });
  return output.modules.filter(({ source }) => /^(?:src|webview)\//u.test(source));
}

/** Every violation, as a line each. */
export async function problemsIn(base) {
  return problemsOf(await importsOf(base));
}

function problemsOf(modules) {
  const files = new Set(modules.map(({ source }) => source));
  const problems = crowdedFolders([...files]);
  for (const { source, dependencies } of modules) {
    const homeless = homelessness(source);
    if (homeless) problems.push(`${source}: ${homeless}`);
    for (const { resolved, module, circular, cycle } of dependencies) {
      const within = files.has(resolved) || module.startsWith('.');
      const refused = within ? refusal(source, resolved) : moduleRefusal(source, module);
      if (refused) problems.push(`${source} → ${within ? resolved : module}: ${refused}`);
      if (circular) problems.push(`${source} → ${cycle.map(({ name }) => name).join(' → ')}: a circle`);
    }
  }
  return problems;
}

const START = '<!-- drawn by scripts/rooms.mjs -->';
const END = '<!-- end of what is drawn -->';

/** Folders with an arrow for each kind of existing import, and the floors of folders with several. */
function drawing(modules) {
  const arrows = new Set(
    modules.flatMap(({ source, dependencies }) =>
      dependencies.flatMap(({ resolved }) => {
        const [from, to] = [folderOf(source)?.folder, folderOf(resolved)?.folder];
        return from && to && from !== to ? [`  ${idOf(from)} --> ${idOf(to)}`] : [];
      }),
    ),
  );
  const folders = FOLDERS.map(({ folder }) => `  ${idOf(folder)}["${folder}"]`);
  const overview = ['```mermaid', 'flowchart TD', ...folders, ...[...arrows].sort(), '```'];
  return [...overview, ...Object.keys(ROOMS).flatMap(floorsOf)].join('\n');
}

function floorsOf(folder) {
  const floors = [...ROOMS[folder]].reverse().map(floorText);
  return [
    '',
    `The rooms of \`${folder}\`, each floor above what it may import:`,
    '',
    '```text',
    ...floors,
    '```',
  ];
}

/** The rooms of a floor, those of features last: `reports · features: history, review`. */
function floorText(names) {
  const features = names.filter((name) => name.startsWith('features/'));
  const listed = features.map((name) => name.slice('features/'.length)).join(', ');
  const others = names.filter((name) => !features.includes(name));
  return [...others, ...(listed ? [`features: ${listed}`] : [])].join(' · ');
}

const idOf = (folder) => folder.replace(/^src\/(?:features\/)?/u, '').replaceAll('/', '-');

/** The text of CONTRIBUTING.md with the picture of these imports. */
function drawnIn(text, modules) {
  const [before, rest] = text.split(START);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Failure('CONTRIBUTING.md has no place for the picture of the rooms.');
  return `${before}${START}\n\n${drawing(modules)}\n\n${END}${after}`;
}

if (isMain(import.meta.url))
  await main(async () => {
    const page = join(ROOT, 'CONTRIBUTING.md');
    const modules = await importsOf(ROOT);
    const text = readFileSync(page, 'utf8');
    const drawn = drawnIn(text, modules);
    if (process.argv.includes('--draw')) return writeFileSync(page, drawn);
    const problems = problemsOf(modules);
    if (drawn !== text)
      problems.push('CONTRIBUTING.md: the picture is out of date; node scripts/rooms.mjs --draw');
    if (problems.length > 0) throw new Failure(problems.join('\n'));
    console.log(`${modules.length} files keep to their rooms`);
  });
