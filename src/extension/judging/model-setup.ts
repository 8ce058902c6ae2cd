/** "Set Up a Model…": adds a judge to parallax.json after its model has answered a test request. */
import * as vscode from 'vscode';
import { ParallaxError } from '../../core/errors.ts';
import { withValue } from '../../core/formats/json-edit.ts';
import { BUILT_IN_JUDGES } from '../../shared/named-judges.ts';
import type { Result } from '../../shared/rpc.ts';
import { requireTrust } from '../../shared/untrusted.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import type { ApiKeys } from '../models/api-keys.ts';
import { completeWithEditorModel } from '../models/editor-models.ts';
import { withProgress } from '../tasks/with-progress.ts';
import type { ConfigFile } from '../workspace/config-file.ts';
import type { WorkspaceState } from '../workspace/workspace-state.ts';
import { askFor, askForKey, askWhere, keyed, keyNameOf, wantsToChange } from './endpoint-dialogs.ts';
import {
  abilitiesText,
  azureEndpoint,
  judgeName,
  providerDetails,
  PROVIDERS,
  type Endpoint,
  type Provider,
} from './model-providers.ts';
import { chooseSureness } from './sureness-setup.ts';
import { surenessWays } from './sureness-ways.ts';
import { withoutLinks } from '../../core/text/without-links.ts';

export interface ModelSetupParts {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly keys: ApiKeys;
  readonly configFile: ConfigFile;
  readonly workspace: () => WorkspaceState;
  readonly trusted: () => boolean;
  /** Name of the judge in use. */
  readonly judge: () => string;
  /** Selects a judge of parallax.json. */
  readonly choose: (judge: string) => Promise<void>;
}

/** A judge to be written, and the key that goes with it. */
interface Found {
  readonly label: string;
  readonly judge: Record<string, unknown>;
  /** Sentences about the result of the test request. */
  readonly outcome: string;
  readonly key?: { readonly name: string; readonly value: string };
}

/** The user's input for an endpoint. Kept until a model answers, so that a failed attempt can be corrected. */
interface Typed {
  address?: string;
  key?: string;
  model?: string;
  resource?: string;
  deployment?: string;
}

export class ModelSetup {
  readonly #parts: ModelSetupParts;
  readonly #typed = new Map<Provider, Typed>();

  constructor(parts: ModelSetupParts) {
    this.#parts = parts;
  }

  /**
   * Asks for a model, tests it, writes it to parallax.json and selects it. Writes nothing before the model answers.
   *
   * @throws ParallaxError `untrusted`, or the error of the model or the file
   */
  async run(): Promise<void> {
    requireTrust(this.#parts.trusted());
    const { configFile, workspace, keys, choose, judge: inUse } = this.#parts;
    const ways = surenessWays(workspace().config, inUse());
    const result = await this.#find(ways.length > 0);
    if (result === 'sureness') {
      const chosen = await chooseSureness(ways, configFile);
      return chosen === undefined ? undefined : choose(chosen);
    }
    if (!result) return;
    const { label, judge, outcome: sentence, key } = result;
    const usedNames = [...Object.keys(workspace().config.judges), ...Object.keys(BUILT_IN_JUDGES)];
    const name = judgeName(label, usedNames);
    if (key) await keys.store(key.name, key.value);
    await configFile.edit((json) => withValue(withValue(json, ['judges', name], judge), ['judge'], name));
    await choose(name);
    const message = vscode.l10n.t('{0} is your judge now. {1}', label, sentence);
    void vscode.window.showInformationMessage(withoutLinks(message));
  }

  /** @param hasModel whether a model already judges, so that the sureness can be chosen instead */
  async #find(hasModel: boolean): Promise<Found | 'sureness' | undefined> {
    const editorModels = await vscode.lm.selectChatModels().then(
      (models) => models,
      () => [],
    );
    const editors = {
      label: vscode.l10n.t("The editor's models"),
      detail: vscode.l10n.t(
        'The models that you are signed in to; the editor asks once whether Parallax may use them',
      ),
      provider: 'editor' as const,
    };
    const sureness = {
      label: vscode.l10n.t('How sure must it be?'),
      detail: vscode.l10n.t(
        'The model that judges stays: a debate, cheaper judges first, or you if it is unsure',
      ),
      provider: 'sureness' as const,
    };
    const items = PROVIDERS.map((provider) => ({ ...providerDetails(provider), provider }));
    const title = vscode.l10n.t('Which model should judge?');
    const all = [...(editorModels.length > 0 ? [editors] : []), ...items, ...(hasModel ? [sureness] : [])];
    const chosen = await vscode.window.showQuickPick(all, { title, matchOnDetail: true });
    if (!chosen) return undefined;
    if (chosen.provider === 'sureness') return 'sureness';
    return chosen.provider === 'editor' ? findOfEditor(editorModels) : this.#findEndpoint(chosen.provider);
  }

  /** Asks again with the previous input as long as the user wants to correct it after a failure. */
  async #findEndpoint(provider: Provider): Promise<Found | undefined> {
    for (;;) {
      const typed = this.#typed.get(provider) ?? {};
      this.#typed.set(provider, typed);
      try {
        const setup = await (provider === 'azure'
          ? this.#findAzure(typed)
          : this.#askedEndpoint(provider, typed));
        if (setup) this.#typed.delete(provider);
        return setup;
      } catch (error) {
        if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
        if (!(await wantsToChange(error))) return undefined;
      }
    }
  }

  async #askedEndpoint(provider: Provider, typed: Typed): Promise<Found | undefined> {
    const { local, baseUrl } = providerDetails(provider);
    const address = baseUrl ?? (await askWhere(typed.address));
    if (address === undefined) return undefined;
    typed.address = address;
    const key = local ? '' : await askForKey(provider === 'other', typed.key);
    if (key === undefined) return undefined;
    typed.key = key;
    const model = await this.#chooseModel(provider, address, typed);
    if (model === undefined) return undefined;
    typed.model = model;
    return this.#tested({ baseUrl: address, model }, provider, key);
  }

  async #findAzure(typed: Typed): Promise<Found | undefined> {
    const resource = await askFor(
      vscode.l10n.t('What is the Azure resource called?'),
      vscode.l10n.t('Its name, or its address such as https://NAME.openai.azure.com'),
      typed.resource,
    );
    if (resource === undefined) return undefined;
    typed.resource = resource;
    const deployment = await askFor(
      vscode.l10n.t('Which deployment?'),
      vscode.l10n.t('The name that you gave it'),
      typed.deployment,
    );
    if (deployment === undefined) return undefined;
    typed.deployment = deployment;
    const key = await askForKey(false, typed.key);
    if (!key) return undefined;
    typed.key = key;
    return this.#tested(azureEndpoint(resource, deployment), 'azure', key);
  }

  /** Chosen from the endpoint's list of models, or typed if it has none. */
  async #chooseModel(
    provider: Provider,
    baseUrl: string,
    { key = '', model }: Typed,
  ): Promise<string | undefined> {
    const { label, local } = providerDetails(provider);
    const config = { baseUrl, model: '' };
    const listed = await withProgress(vscode.l10n.t('Asking {0} which models it has', label), ({ signal }) =>
      this.#parts.engine.request('listModels', { config, ...keyed(key) }, { signal }),
    ).catch((error: unknown) => {
      // A key refused here would be refused by every request.
      if (ParallaxError.is(error, 'cancelled') || ParallaxError.is(error, 'model-key')) throw error;
      // A local server that does not answer is not running. Other endpoints may not list models.
      if (local)
        throw new ParallaxError(
          'model-unreachable',
          vscode.l10n.t('{0} does not answer at {1}. Start it, and try again.', label, baseUrl),
          { cause: error },
        );
      return { models: [] };
    });
    if (local && listed.models.length === 0)
      throw new ParallaxError(
        'model-missing',
        vscode.l10n.t('{0} runs, but has no model installed yet. Install one there, and try again.', label),
      );
    const title = vscode.l10n.t('Which model?');
    if (listed.models.length === 0) return askFor(title, vscode.l10n.t('Its name at the endpoint'), model);
    return vscode.window.showQuickPick(listed.models, { title });
  }

  async #tested(endpoint: Endpoint, provider: Provider, key: string): Promise<Found> {
    const asking = vscode.l10n.t('Asking {0} once', endpoint.model);
    const abilities: Result<'testModel'> = await withProgress(asking, ({ signal }) =>
      this.#parts.engine.request('testModel', { config: endpoint, ...keyed(key) }, { signal }),
    );
    const name = provider === 'other' ? keyNameOf(endpoint.baseUrl) : provider;
    return {
      label: endpoint.model,
      // A custom endpoint without a key names none.
      judge: { type: 'openai', ...endpoint, ...(key === '' && provider === 'other' ? {} : { key: name }) },
      outcome: abilitiesText(abilities),
      ...(key === '' ? {} : { key: { name, value: key } }),
    };
  }
}

async function findOfEditor(models: readonly vscode.LanguageModelChat[]): Promise<Found | undefined> {
  const items = models.map((model) => ({
    label: model.name,
    description: model.vendor,
    detail: model.family === model.name ? '' : model.family,
    model,
  }));
  const title = vscode.l10n.t("Which of the editor's models?");
  const model = (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.model;
  if (!model) return undefined;
  const { vendor, family, id, name } = model;
  const messages = [{ role: 'user' as const, content: 'Answer with the single word: yes' }];
  const { text } = await withProgress(vscode.l10n.t('Asking {0} once', name), ({ signal }) =>
    completeWithEditorModel({ vendor, family, id, messages }, signal),
  );
  if (text.trim() === '')
    throw new ParallaxError('model-answer', vscode.l10n.t('{0} gave an empty answer.', name));
  const limits = vscode.l10n.t('Models of the editor give JSON but no token probabilities.');
  return { label: name, judge: { type: 'vscode', vendor, family, id }, outcome: limits };
}
