/** `parallax mcp --install` in a folder of a project. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { install, type InstallOptions } from '../../../src/features/agents/cli/install.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { run, type Ran } from '../cli/support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const SKILL = 'skills/one-sided-retrieval/SKILL.md';

interface Project {
  readonly folder: string;
  install(options?: Partial<InstallOptions>): Promise<Ran>;
  read(file: string): Promise<string>;
}

async function project(t: TestContext): Promise<Project> {
  const folder = temporaryFolder(t);
  const script = path.join(folder, 'node_modules/parallax-rag/dist/cli.js');
  await mkdir(path.dirname(script), { recursive: true });
  await writeFile(script, '');
  return {
    folder,
    install: (options) =>
      run((_, io) =>
        install({ folder, argv: ['--budget', '8'], script, yes: true, ask: undefined, ...options }, io),
      ),
    read: (file) => readFile(path.join(folder, file), 'utf8'),
  };
}

test('names the server for every agent, with a path that can be shared, and copies the skill', async (t) => {
  const own = await project(t);
  const { code, stderr } = await own.install();
  assert.deepEqual([code, stderr], [0, '']);
  const args = ['node_modules/parallax-rag/dist/cli.js', 'mcp', '--budget', '8'];
  assert.deepEqual(JSON.parse(await own.read('.mcp.json')), {
    mcpServers: { parallax: { type: 'stdio', command: 'node', args } },
  });
  assert.equal(
    await own.read('.codex/config.toml'),
    `[mcp_servers.parallax]\ncommand = "node"\nargs = ${JSON.stringify(args)}\n`,
  );
  const skill = await readFile(path.join('media/plugin', SKILL), 'utf8');
  assert.deepEqual([await own.read(`.claude/${SKILL}`), await own.read(`.agents/${SKILL}`)], [skill, skill]);
  assert.match((await own.install()).stdout, /there already/u);
});

test('keeps what the files contain', async (t) => {
  const own = await project(t);
  const other = { command: 'other', args: [] };
  await writeFile(path.join(own.folder, '.mcp.json'), JSON.stringify({ mcpServers: { other }, more: 1 }));
  await mkdir(path.join(own.folder, '.codex'));
  await writeFile(path.join(own.folder, '.codex/config.toml'), '# mine\nmodel = "x"');
  await own.install();
  const { mcpServers, more } = JSON.parse(await own.read('.mcp.json')) as Record<string, object>;
  assert.deepEqual([Object.keys(mcpServers!), more], [['other', 'parallax'], 1]);
  assert.match(await own.read('.codex/config.toml'), /^# mine\nmodel = "x"\n\n\[mcp_servers\.parallax\]$/mu);
});

test('changes only how the server is started', async (t) => {
  const own = await project(t);
  const env = { KEY: 'mine' };
  const parallax = { command: 'other', args: [], env };
  await writeFile(path.join(own.folder, '.mcp.json'), JSON.stringify({ mcpServers: { parallax } }));
  await own.install();
  const { mcpServers } = JSON.parse(await own.read('.mcp.json')) as { mcpServers: { parallax: object } };
  assert.partialDeepStrictEqual(mcpServers.parallax, { command: 'node', env });
});

test('writes nothing without consent, or if a file cannot be extended', async (t) => {
  const own = await project(t);
  await assert.rejects(own.install({ yes: false }), UsageError);
  const refused = await own.install({ yes: false, ask: () => Promise.resolve(false) });
  assert.deepEqual([refused.code, existsSync(path.join(own.folder, '.mcp.json'))], [1, false]);
  const commented = '{ // servers\n}';
  await writeFile(path.join(own.folder, '.mcp.json'), commented);
  await assert.rejects(own.install(), /Add the server there yourself/u);
  assert.equal(await own.read('.mcp.json'), commented);
  assert.equal(existsSync(path.join(own.folder, '.claude')), false);
});
