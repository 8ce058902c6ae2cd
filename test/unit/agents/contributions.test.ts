/** package.json, which the editor reads, agrees with src/features/agents/tools, which checks the input. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AGENT_TOOL_NAMES, editorToolName } from '../../../src/features/agents/tools/names.ts';
import { AGENT_TOOLS, INSTRUCTIONS, inputSchemaOf } from '../../../src/features/agents/tools/tools.ts';
import { MCP_PROVIDER } from '../../../src/shared/manifest/contributions.ts';
import { readManifest } from '../manifest.ts';

interface ContributedTool {
  readonly name: string;
  readonly displayName: string;
  readonly modelDescription: string;
  readonly userDescription: string;
  readonly toolReferenceName: string;
  readonly canBeReferencedInPrompt: boolean;
  readonly inputSchema: unknown;
}

const { contributes } = readManifest<{
  readonly contributes: {
    readonly languageModelTools: readonly ContributedTool[];
    readonly chatSkills: readonly { readonly path: string }[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string; readonly label: string }[];
  };
}>();

test('contributes every tool as agents see it, and no others', () => {
  assert.deepEqual(
    contributes.languageModelTools.map(({ name, displayName, modelDescription, inputSchema }) => ({
      name,
      displayName,
      modelDescription,
      inputSchema,
    })),
    AGENT_TOOL_NAMES.map((name) => ({
      name: editorToolName(name),
      displayName: AGENT_TOOLS[name].title,
      modelDescription: AGENT_TOOLS[name].description,
      inputSchema: inputSchemaOf(name),
    })),
  );
});

test('every tool has a unique reference name for prompts', () => {
  const names = contributes.languageModelTools.map(({ toolReferenceName }) => toolReferenceName);
  assert.equal(new Set(names).size, AGENT_TOOL_NAMES.length);
  for (const { canBeReferencedInPrompt, userDescription } of contributes.languageModelTools)
    assert.ok(canBeReferencedInPrompt && userDescription.length > 0);
});

test('the skill exists under its name and names every tool that it needs', () => {
  const [{ path }] = contributes.chatSkills as [{ readonly path: string }];
  const text = readFileSync(path, 'utf8');
  // The editor ignores a skill whose folder has another name.
  assert.equal(/^name: (.*)$/mu.exec(text)?.[1], path.split('/').at(-2));
  assert.deepEqual(
    AGENT_TOOL_NAMES.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});

test('what every agent reads at the start is short', () => {
  const read = AGENT_TOOL_NAMES.map(
    (name) => AGENT_TOOLS[name].description + JSON.stringify(inputSchemaOf(name)),
  );
  const characters = [INSTRUCTIONS, ...read].join('').length;
  // Four characters are about a token.
  assert.ok(characters < 4 * 4_150, `${characters} characters`);
});

test('the manifests of the plugin have the version of the package', () => {
  const { name, version } = readManifest<{ readonly name: string; readonly version: string }>();
  for (const place of ['plugin.json', '.claude-plugin/plugin.json']) {
    const plugin = JSON.parse(readFileSync(`media/plugin/${place}`, 'utf8')) as { readonly version: string };
    assert.equal(plugin.version, version, place);
  }
  // Agents start the server by the name under which npm installs the package.
  assert.match(
    readFileSync('media/plugin/.claude-plugin/plugin.json', 'utf8'),
    new RegExp(`"command": "${name}"`, 'u'),
  );
});

test('the server provider is contributed under its registered name', () => {
  assert.deepEqual(contributes.mcpServerDefinitionProviders, [{ id: MCP_PROVIDER, label: 'Parallax' }]);
});
