/**
 * "Set Up Search by Meaning…": tries another encoder, compares it with the present one, and switches only if the user
 * agrees.
 */
import * as vscode from 'vscode';
import { counted } from '../../../core/counted.ts';
import { BUILT_IN_EMBEDDERS, MEANING } from '../../../core/embedding/built-in.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { withValue } from '../../../core/formats/json-edit.ts';
import type { NamedPipeline, Pipeline } from '../../../core/pipeline.ts';
import { pipelineTitle } from '../../../core/pipeline-label.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import { openAiEmbedderSchema, type OpenAiEmbedderConfig } from '../../../shared/config.ts';
import type { Params } from '../../../shared/rpc.ts';
import { requireTrust } from '../../../shared/untrusted.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import {
  askFor,
  askForKey,
  askWhere,
  keyed,
  keyNameOf,
  wantsToChange,
} from '../../../extension/judging/endpoint-dialogs.ts';
import { judgeName, providerDetails } from '../../../extension/judging/model-providers.ts';
import type { ApiKeys } from '../../../extension/models/api-keys.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
import type { ConfigFile } from '../../../extension/workspace/config-file.ts';
import { briefPipeline } from '../../../shared/defaults/starting-config.ts';
import { pipelinesOf } from '../../../shared/defaults/default-config.ts';
import type { WorkspaceState } from '../../../extension/workspace/workspace-state.ts';
import { meaningName, withMeaning } from './meaning-pipeline.ts';
import { isOnThisMachine, localServers, soundsLikeEncoder, type LocalServer } from './meaning-servers.ts';
import { comparedText, type NotCompared } from './meaning-text.ts';

export interface MeaningSetupParts {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly keys: Pick<ApiKeys, 'store' | 'read'>;
  readonly configFile: Pick<ConfigFile, 'edit'>;
  readonly workspace: () => WorkspaceState;
  readonly trusted: () => boolean;
  /** The pipeline in use. */
  readonly present: () => NamedPipeline;
  /** Sends a changed parallax.json to the engine. */
  readonly reconfigure: () => Promise<void>;
  /** The request that compares these pipelines on the chosen eval set. `undefined` if there is none. */
  readonly comparisonOf: (pipelines: readonly NamedPipeline[]) => Params<'compare'> | undefined;
  readonly show: (evaluation: Evaluation) => Promise<void>;
  readonly use: (pipeline: NamedPipeline) => Promise<void>;
}

/** An available encoder, or one to be added. */
interface Found {
  readonly name: string;
  readonly config?: OpenAiEmbedderConfig;
  readonly key?: { readonly name: string; readonly value: string };
  /** Whether it is asked over the network and may cost money. */
  readonly isRemote: boolean;
}

interface Item extends vscode.QuickPickItem {
  readonly find?: () => Promise<Found | undefined>;
}

export class MeaningSetup {
  readonly #parts: MeaningSetupParts;

  constructor(parts: MeaningSetupParts) {
    this.#parts = parts;
  }

  /**
   * Asks for an encoder, tests it, adds it to parallax.json beside the present one, compares the two on the eval set,
   * and lets the user choose. Writes nothing before it answers.
   *
   * @throws ParallaxError `untrusted`, or the error of the endpoint, the engine or the file
   */
  async run(): Promise<void> {
    const { trusted, present, use, show } = this.#parts;
    requireTrust(trusted());
    const items = await this.#items();
    const title = vscode.l10n.t('Which model should compare meaning?');
    const chosen = await vscode.window.showQuickPick(items, { title, matchOnDetail: true });
    const setup = await chosen?.find?.();
    if (!setup) return;
    const before = present();
    const after = await this.#write(before, setup);
    const titled = { ...before, name: pipelineTitle(before) };
    const compared = await this.#compare([titled, after], setup);
    if (typeof compared !== 'string') await show(compared);
    const useIt = vscode.l10n.t('Use {0}', after.name);
    const keep = vscode.l10n.t('Keep {0}', titled.name);
    const sentence = comparedText(compared, titled, after);
    const answer = await vscode.window.showInformationMessage(
      withoutLinks(vscode.l10n.t('{0} Both are in parallax.json.', sentence)),
      useIt,
      keep,
    );
    if (answer === useIt) await use(after);
  }

  async #items(): Promise<Item[]> {
    const { embedders } = this.#parts.workspace().config;
    const onMachine = await this.#onThisMachine();
    const ownItems = Object.keys(embedders)
      .filter((name) => name !== MEANING)
      .map((name): Item => {
        const config = embedders[name]!;
        const description = config.type === 'openai' ? config.model : '';
        const isRemote = config.type === 'openai' && !isOnThisMachine(config.baseUrl);
        return { label: name, description, find: () => Promise.resolve({ name, isRemote }) };
      });
    const shipped: Item = {
      label: vscode.l10n.t('The encoder that comes with Parallax'),
      detail: vscode.l10n.t('Small, for English, on this machine; nothing leaves it'),
      find: () => Promise.resolve({ name: MEANING, isRemote: false }),
    };
    const openai: Item = {
      label: 'OpenAI',
      detail: vscode.l10n.t('Needs an API key; all passages are sent there once, and every question'),
      find: () => this.#askedEndpoint(providerDetails('openai').baseUrl),
    };
    const otherItem: Item = {
      label: providerDetails('other').label,
      detail: vscode.l10n.t('Any server with the /embeddings of OpenAI; all passages are sent there once'),
      find: () => this.#askedEndpoint(undefined),
    };
    return [
      ...group(vscode.l10n.t('On this machine'), [...onMachine, shipped]),
      ...group(vscode.l10n.t('In parallax.json'), ownItems),
      ...group(vscode.l10n.t('Over the network'), [openai, otherItem]),
    ];
  }

  /** Encoders of local servers; a server that does not answer is not running. */
  async #onThisMachine(): Promise<Item[]> {
    const servers = localServers(this.#parts.workspace().config);
    const lists = await withProgress(vscode.l10n.t('Looking for models on this machine'), ({ signal }) =>
      Promise.all(
        servers.map(async (server) => {
          const key = await this.#storedKey(server);
          const config = { baseUrl: server.baseUrl, model: '' };
          return this.#parts.engine.request('listModels', { config, ...keyed(key) }, { signal }).then(
            ({ models }) => ({ server, models }),
            (error: unknown) => {
              if (ParallaxError.is(error, 'cancelled')) throw error;
              return { server, models: [] };
            },
          );
        }),
      ),
    );
    return lists.flatMap(({ server, models }) =>
      models.filter(soundsLikeEncoder).map((model): Item => ({
        label: model,
        description: server.label,
        detail: vscode.l10n.t('On this machine; nothing leaves it'),
        find: async () => this.#tested({ ...server, model }, await this.#storedKey(server)),
      })),
    );
  }

  async #storedKey({ key }: LocalServer): Promise<string> {
    return (await this.#parts.keys.read([key]))[key] ?? '';
  }

  /** Asks again with the previous input as long as the user wants to correct it after a failure. */
  async #askedEndpoint(address: string | undefined): Promise<Found | undefined> {
    const typed = { baseUrl: address, key: '', model: '' };
    for (;;) {
      if (address === undefined) typed.baseUrl = await askWhere(typed.baseUrl);
      const { baseUrl } = typed;
      if (baseUrl === undefined) return undefined;
      const key = await askForKey(address === undefined, typed.key);
      if (key === undefined) return undefined;
      typed.key = key;
      const model = await askFor(
        vscode.l10n.t('Which model?'),
        vscode.l10n.t('Its name at the endpoint, such as text-embedding-3-small'),
        typed.model,
      );
      if (model === undefined) return undefined;
      typed.model = model;
      try {
        const name = address === undefined ? keyNameOf(baseUrl) : 'openai';
        return await this.#tested({ baseUrl, model, key: name }, key);
      } catch (error) {
        if (!ParallaxError.is(error) || error.id === 'cancelled') throw error;
        if (!(await wantsToChange(error))) return undefined;
      }
    }
  }

  /** Makes one real request, so that only an encoder that answers is written. */
  async #tested(
    { baseUrl, model, key: name }: Pick<OpenAiEmbedderConfig, 'baseUrl' | 'model' | 'key'>,
    key: string,
  ): Promise<Found> {
    const { engine, workspace } = this.#parts;
    const config = openAiEmbedderSchema.parse({ type: 'openai', baseUrl, model, key: name });
    await withProgress(vscode.l10n.t('Asking {0} once', model), ({ signal }) =>
      engine.request('testEmbedder', { config, ...keyed(key) }, { signal }),
    );
    const usedNames = [...Object.keys(workspace().config.embedders), ...BUILT_IN_EMBEDDERS];
    return {
      name: judgeName(model, usedNames),
      config,
      isRemote: !isOnThisMachine(baseUrl),
      ...(key === '' ? {} : { key: { name, value: key } }),
    };
  }

  /** @returns the pipeline with the encoder, which parallax.json now contains beside the previous one */
  async #write(before: NamedPipeline, { name, config, key }: Found): Promise<NamedPipeline> {
    const { keys, configFile, workspace, reconfigure } = this.#parts;
    const { config: parallax } = workspace();
    const pipeline = withMeaning(before.pipeline, name);
    const there = pipelinesOf(parallax);
    const same = there.find((each) => isSame(each.pipeline, pipeline));
    const after = same ?? { name: meaningName(name, pipeline, there), pipeline };
    if (key) await keys.store(key.name, key.value);
    // Pipelines of the file replace the built-in ones, so those are added to stay available.
    const isBuiltIn = Object.keys(parallax.pipelines).length === 0;
    const added = [...(isBuiltIn ? there : []), before, after].filter(
      (one) => !Object.hasOwn(parallax.pipelines, one.name),
    );
    await configFile.edit((json) => {
      const withEncoder = config ? withValue(json, ['embedders', name], written(config)) : json;
      return added.reduce(
        (text, one) => withValue(text, ['pipelines', one.name], briefPipeline(one.pipeline)),
        withEncoder,
      );
    });
    await reconfigure();
    return after;
  }

  /** Also embeds the corpus. */
  async #compare(
    pipelines: readonly NamedPipeline[],
    { isRemote }: Found,
  ): Promise<Evaluation | NotCompared> {
    const { engine, comparisonOf } = this.#parts;
    const request = comparisonOf(pipelines);
    if (!request) return 'no-eval-set';
    if (!(await this.#confirm(request, isRemote))) return 'declined';
    const title = vscode.l10n.t(
      'Comparing the two on {0}',
      request.datasets.map(({ name }) => name).join(', '),
    );
    return withProgress(title, (context) => engine.request('compare', request, context)).catch(
      (error: unknown): NotCompared => {
        // The encoder is stored and can be compared later.
        if (ParallaxError.is(error, 'cancelled')) return 'declined';
        throw error;
      },
    );
  }

  async #confirm({ datasets }: Params<'compare'>, isRemote: boolean): Promise<boolean> {
    if (!isRemote) return true;
    const corpora = [...new Set(datasets.map(({ corpus }) => corpus))];
    const { passages, tokens } = await this.#parts.engine.request('embeddingEffort', { corpora });
    const compare = vscode.l10n.t('Compare');
    const announcement = counted(
      vscode.l10n.t(
        'Comparing sends {0} [0:passage|passages] to the endpoint, once: about {1} tokens, at the prices of the provider. The questions of the eval set come on top.',
      ),
      Number(passages.toPrecision(2)),
      Number(tokens.toPrecision(2)),
    );
    const answer = await vscode.window.showWarningMessage(announcement, { modal: true }, compare);
    return answer === compare;
  }
}

const isSame = (one: Pipeline, other: Pipeline): boolean =>
  JSON.stringify(briefPipeline(one)) === JSON.stringify(briefPipeline(other));

/** Without default values, as in a hand-written file. */
function written({ type, baseUrl, model, key }: OpenAiEmbedderConfig): Record<string, unknown> {
  return { type, baseUrl, model, ...(key === 'openai' ? {} : { key }) };
}

function group(label: string, items: readonly Item[]): Item[] {
  if (items.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}
