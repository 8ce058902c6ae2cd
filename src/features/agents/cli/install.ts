/** `parallax mcp --install`: names the server, and copies the skill, where agents look for them in a folder. */
import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { ParallaxError } from '../../../core/errors.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { readText } from '../../../engine/files/reading.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';

/** The name of the server in the files of agents. */
const SERVER = 'parallax';
const INSTALLED = path.join('node_modules', 'parallax-rag', 'dist', 'cli.js');
const SKILL_FOLDERS = ['.claude/skills', '.agents/skills'];

export interface InstallOptions {
  /** The folder of the project. */
  readonly folder: string;
  /** Options of `parallax mcp`, with which agents start it. */
  readonly argv: readonly string[];
  /** The script of the command line. Defaults to the one that runs. */
  readonly script?: string;
  /** Whether to write without asking. */
  readonly yes: boolean;
  /** Asks the user. `undefined` without a terminal. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
}

interface Change {
  /** Relative to the folder, with slashes. */
  readonly file: string;
  readonly about: string;
  readonly text: string;
}

/**
 * Writes nothing before the user agrees.
 *
 * @returns the exit code
 * @throws UsageError without a terminal and without `yes`, or if a file cannot be extended
 */
export async function install({ folder, yes, ask, ...options }: InstallOptions, io: Io): Promise<number> {
  const { argv, script = process.argv[1]! } = options;
  const command = ['node', scriptIn(folder, script), 'mcp', ...argv];
  const proposed = [
    await jsonServers(folder, command),
    await tomlServers(folder, command),
    ...(await skillCopies(folder)),
  ];
  const changes = proposed.filter((change) => change !== undefined);
  if (changes.length === 0) {
    io.stdout('Everything is there already.\n');
    return 0;
  }
  io.stdout(changes.map(({ file, about }) => `${file}  ${about}\n`).join(''));
  if (path.isAbsolute(command[1]!))
    io.stderr(
      `note: ${command[1]} is a place on this machine. Install the package in this folder to share the files.\n`,
    );
  if (!yes) {
    if (!ask)
      throw new UsageError(
        'Nothing was written, because there is no terminal to ask on: add --yes to write these files.',
      );
    if (!(await ask('Write these files? [y/N] '))) {
      io.stdout('Nothing was written.\n');
      return 1;
    }
  }
  for (const { file, text } of changes) await writeText(path.join(folder, file), text, folder);
  io.stdout('Written. Agents that are open read it when they start again.\n');
  return 0;
}

/** Asks on the terminal. `undefined` if there is none. */
export function terminalAsk(): InstallOptions['ask'] {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return /^y(es)?$/iu.test((await terminal.question(question)).trim());
    } finally {
      terminal.close();
    }
  };
}

/** The script as agents start it: relative if it is in the folder, so that the files can be shared. */
function scriptIn(folder: string, script: string): string {
  if (existsSync(path.join(folder, INSTALLED))) return slashes(INSTALLED);
  const inside = path.relative(realpathSync(folder), realpathSync(script));
  return inside.startsWith('..') || path.isAbsolute(inside) ? realpathSync(script) : slashes(inside);
}

const slashes = (file: string): string => file.split(path.sep).join('/');

/** The file that Claude Code, GitHub Copilot and the editor's agents read. */
async function jsonServers(
  folder: string,
  [command, ...args]: readonly string[],
): Promise<Change | undefined> {
  const file = '.mcp.json';
  const before = await textOf(folder, file);
  const settings = readObject(before || '{}', file);
  const { mcpServers = {} } = settings;
  if (!isObject(mcpServers)) throw unreadable(file);
  const present = mcpServers[SERVER];
  // Its other settings, such as "env", belong to the user.
  const server = { ...(isObject(present) ? present : {}), type: 'stdio', command, args };
  const after = { ...settings, mcpServers: { ...mcpServers, [SERVER]: server } };
  if (JSON.stringify(after) === JSON.stringify(settings)) return undefined;
  const about = `starts the server ${SERVER}: Claude Code, GitHub Copilot`;
  return { file, about, text: `${JSON.stringify(after, null, 2)}\n` };
}

/** Only appended, since the file belongs to the user, comments included. */
async function tomlServers(
  folder: string,
  [command, ...args]: readonly string[],
): Promise<Change | undefined> {
  const file = '.codex/config.toml';
  const before = await textOf(folder, file);
  // A table of the server, or the server within a table.
  if (new RegExp(String.raw`^\s*\[mcp_servers\.["']?${SERVER}["']?[.\]]`, 'mu').test(before))
    return undefined;
  const table = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return { file, about: `the same for Codex, once it trusts this folder`, text: `${before}${gap}${table}` };
}

async function skillCopies(folder: string): Promise<(Change | undefined)[]> {
  const source = skillsFolder();
  const copies: (Change | undefined)[] = [];
  for (const name of await readdir(source)) {
    const text = await readText(path.join(source, name, 'SKILL.md'));
    for (const target of SKILL_FOLDERS) {
      const file = `${target}/${name}/SKILL.md`;
      const isThere = (await textOf(folder, file)) === text;
      copies.push(isThere ? undefined : { file, about: 'when to measure, and in which order', text });
    }
  }
  return copies;
}

/** In `dist`, or in the sources. */
function skillsFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const places = ['..', '../../../..', '../..'].map((up) => path.join(here, up, 'media/plugin/skills'));
  const place = places.find((each) => existsSync(each));
  if (place === undefined)
    throw new ParallaxError('native-missing', 'media/plugin is missing. Install Parallax again.');
  return place;
}

async function textOf(folder: string, file: string): Promise<string> {
  const place = path.join(folder, file);
  return existsSync(place) ? readText(place, { boundary: folder }) : '';
}

function readObject(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Comments, for example, would be lost.
    throw unreadable(file, error);
  }
  if (isObject(value)) return value;
  throw unreadable(file);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function unreadable(file: string, cause?: unknown): UsageError {
  return new UsageError(
    `${file} is not plain JSON with an object "mcpServers", so nothing was written. Add the server there yourself, as in docs/agents.md.`,
    { cause },
  );
}
