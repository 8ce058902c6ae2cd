/** package.json, which the editor reads, and src/agents, which checks what arrives, say the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AGENT_TOOL_NAMES, editorToolName } from '../../../src/agents/names.ts';
import { AGENT_TOOLS, inputSchemaOf } from '../../../src/agents/tools.ts';
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

test('every tool is contributed as agents are shown it, and no other', () => {
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

test('tools can be referred to in a prompt, each by a name of its own', () => {
  const names = contributes.languageModelTools.map(({ toolReferenceName }) => toolReferenceName);
  assert.equal(new Set(names).size, AGENT_TOOL_NAMES.length);
  for (const { canBeReferencedInPrompt, userDescription } of contributes.languageModelTools)
    assert.ok(canBeReferencedInPrompt && userDescription.length > 0);
});

test('a skill is there under its name, and names every tool that an agent needs for it', () => {
  const [{ path }] = contributes.chatSkills as [{ readonly path: string }];
  const text = readFileSync(path, 'utf8');
  // The editor leaves a skill out whose folder is called otherwise.
  assert.equal(/^name: (.*)$/mu.exec(text)?.[1], path.split('/').at(-2));
  assert.deepEqual(
    AGENT_TOOL_NAMES.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});

test('the provider of servers is contributed under the name by which it is registered', () => {
  assert.deepEqual(contributes.mcpServerDefinitionProviders, [{ id: MCP_PROVIDER, label: 'Parallax' }]);
});
