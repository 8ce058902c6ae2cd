/** A model of the editor, here one that the companion registers, judges passages. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import { completeWithEditorModel } from '../../../src/extension/models/editor-models.ts';
import { hostTest } from '../companion/host-test.ts';

/** As the companion's manifest contributes it. */
const VENDOR = 'parallax-test';
/** The message of a provider whose quota is used up. */
const REFUSAL = 'The requests of this month are used up.';
const QUESTION = 'Can a model of the editor judge?';
const PERSPECTIVE = 'Models of the editor are judges.';

const MODEL: vscode.LanguageModelChatInformation = {
  id: 'scripted',
  name: 'Scripted',
  family: 'scripted',
  version: '1',
  maxInputTokens: 100_000,
  maxOutputTokens: 1000,
  capabilities: {},
};

/** Says "no" to everything and records its requests. */
class ScriptedModel implements vscode.LanguageModelChatProvider {
  readonly asked: string[] = [];
  /** Thrown instead of an answer. */
  refusal: Error | undefined;

  provideLanguageModelChatInformation(): vscode.LanguageModelChatInformation[] {
    return [MODEL];
  }

  provideLanguageModelChatResponse(
    _model: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    _options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
  ): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    const parts = messages.flatMap(({ content }) => content);
    this.asked.push(
      parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n'),
    );
    progress.report(
      new vscode.LanguageModelTextPart('{"evidence": null, "verdict": "no", "reason": "Scripted."}'),
    );
    return Promise.resolve();
  }

  provideTokenCount(): Promise<number> {
    return Promise.resolve(1);
  }
}

hostTest(
  "the editor's model judges what was retrieved, and is not asked again",
  async () => {
    const model = new ScriptedModel();
    const registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, model);
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const config = vscode.Uri.joinPath(folder!.uri, 'parallax.json');
    const before = await vscode.workspace.fs.readFile(config);
    try {
      await configure(config, before);
      const api = await vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag')!.activate();
      // The extension notices the new configuration once the files have settled.
      for (const until = Date.now() + 200_000; model.asked.length < 5 && Date.now() < until; await sleep(200))
        await api.ask(QUESTION);
      assert.equal(model.asked.length, 5, 'one request for each passage of the top 5');
      assert.ok(model.asked.every((prompt) => prompt.includes(PERSPECTIVE)));
      assert.equal(new Set(model.asked).size, 5);
      await api.ask(QUESTION);
      assert.equal(model.asked.length, 5);
    } finally {
      registration.dispose();
      await vscode.workspace.fs.writeFile(config, before);
    }
  },
  { timeout: 90_000 },
);

hostTest('the refusal of an editor model reaches the user in its own words', async () => {
  const model = new ScriptedModel();
  const registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, model);
  const ask = (): Promise<unknown> =>
    completeWithEditorModel(
      { vendor: VENDOR, messages: [{ role: 'user', content: 'Answer with the single word: yes' }] },
      new AbortController().signal,
    );
  try {
    for (const refusal of [
      vscode.LanguageModelError.Blocked(REFUSAL),
      new Error('The plan does not include this model.'),
    ]) {
      model.refusal = refusal;
      await assert.rejects(ask(), (error) => String(error).includes(refusal.message));
    }
    model.refusal = undefined;
    await ask();
    assert.equal(model.asked.length, 1);
  } finally {
    registration.dispose();
  }
});

hostTest(
  'setting up an editor model tries it and writes it to parallax.json, unless it refuses',
  async () => {
    const model = new ScriptedModel();
    const registration = vscode.lm.registerLanguageModelChatProvider(VENDOR, model);
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const config = vscode.Uri.joinPath(folder!.uri, 'parallax.json');
    const before = await vscode.workspace.fs.readFile(config);
    const written = async (): Promise<string> =>
      new TextDecoder().decode(await vscode.workspace.fs.readFile(config));
    try {
      model.refusal = vscode.LanguageModelError.Blocked(REFUSAL);
      // The entries are chosen, and the final message is checked, outside of the host.
      await vscode.commands.executeCommand('parallax.setUpModel');
      assert.equal(await written(), new TextDecoder().decode(before));
      model.refusal = undefined;
      await vscode.commands.executeCommand('parallax.setUpModel');
      const { judge, judges } = JSON.parse(await written()) as {
        judge: string;
        judges: Record<string, object>;
      };
      const { id, family } = MODEL;
      assert.deepEqual(judges[judge], { type: 'vscode', vendor: VENDOR, family, id });
      assert.equal(model.asked.filter((prompt) => prompt.includes('single word')).length, 1);
    } finally {
      registration.dispose();
      await vscode.workspace.fs.writeFile(config, before);
    }
  },
  { timeout: 90_000 },
);

async function configure(config: vscode.Uri, before: Uint8Array): Promise<void> {
  const encode = (value: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  const evalSet = vscode.Uri.joinPath(config, '../eval/host-model.jsonl');
  const perspectives = [{ id: 'p1', text: PERSPECTIVE }];
  await vscode.workspace.fs.writeFile(evalSet, encode({ _id: 'host-model', text: QUESTION, perspectives }));
  await vscode.workspace.fs.writeFile(
    config,
    encode({
      ...(JSON.parse(new TextDecoder().decode(before)) as object),
      judge: 'editor',
      judges: { editor: { type: 'vscode', vendor: VENDOR } },
      evalSets: ['eval/host-model.jsonl'],
    }),
  );
}
