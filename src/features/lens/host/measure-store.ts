/** "Measure My Retriever…" for code that names its store: Parallax queries the store the same way as the code. */
import * as vscode from 'vscode';
import { BUILT_IN_EMBEDDERS } from '../../../core/embedding/built-in.ts';
import { storeLabel } from '../../../core/external/store-types.ts';
import { STORES } from '../../../core/external/stores.gen.ts';
import { storeRetrieverSchema, type StoreRetriever } from '../../../core/external/stores.ts';
import { withValue } from '../../../core/formats/json-edit.ts';
import { COMMANDS } from '../../../shared/manifest/contributions.ts';
import type { NamedStore } from '../../../sites/named-store.ts';
import { isModel } from '../../../sites/rebuild.ts';
import { mayHoldSecret } from '../../../core/text/address-secrets.ts';
import { askForAddress } from '../../../extension/platform/ask-address.ts';
import { readText } from '../../../extension/platform/read-text.ts';
import { withProgress } from '../../../extension/tasks/with-progress.ts';
import type { MeasureParts } from './measure-parts.ts';
import type { LocatedSite } from './site-documents.ts';
import { withoutLinks } from '../../../core/text/without-links.ts';

/** The field of its address in `parallax.json`. */
const addressField = (type: NamedStore['type']): 'uri' | 'url' => STORES[type].address.field ?? 'url';

/**
 * Asks for the store's address and the model that embeds questions, writes the pipeline, and retries until the store
 * answers.
 *
 * @param name of the pipeline
 * @returns the name once the store has answered, or `undefined` if the user cancels
 */
export async function measuredStore(
  { site, document }: LocatedSite,
  store: NamedStore,
  name: string,
  parts: MeasureParts,
): Promise<string | undefined> {
  const address = await askAddress(store, document.getText(), parts.folder()!);
  if (address === undefined) return undefined;
  const embedder = store.asksByVector ? await askEmbedder(site.embedModel?.value, parts) : undefined;
  if (store.asksByVector && embedder === undefined) return undefined;
  const key = isKept(store.type, address) ? await parts.addKey(name, address) : undefined;
  const written = {
    type: store.type,
    ...(key === undefined ? { [addressField(store.type)]: address } : { key }),
    ...store.fields,
    ...(embedder === undefined ? {} : { embedder }),
  };
  const retriever = storeRetrieverSchema.parse(written);
  const pipeline = { retriever: written, ...(site.k.value === undefined ? {} : { k: site.k.value }) };
  await parts.editConfig((json) => withValue(json, ['pipelines', name], pipeline));
  return (await answers(name, retriever, parts)) ? name : undefined;
}

/** Describes the store as read from the code, for the user to confirm. */
export function storeItem({ type, fields }: NamedStore): vscode.QuickPickItem {
  const { sample } = STORES[type].address;
  const said = storeRetrieverSchema.safeParse({
    type,
    ...(sample === undefined ? {} : { [addressField(type)]: sample }),
    ...fields,
    embedder: '-',
  }).data;
  return {
    label: vscode.l10n.t('Ask {0} itself', said ? storeLabel(said) : type),
    detail: vscode.l10n.t('As your code says: {0}', described(fields)),
  };
}

function described(fields: NamedStore['fields']): string {
  return Object.entries(fields)
    .map(([field, value]) =>
      typeof value === 'object' && value !== null
        ? described(value as NamedStore['fields'])
        : `${field} ${String(value)}`,
    )
    .join(', ');
}

async function askAddress(store: NamedStore, text: string, folder: vscode.Uri): Promise<string | undefined> {
  const { usual, prompt, connection, isFolder } = STORES[store.type].address;
  const value = connection ? await connectionString(connection, text, folder) : store.address;
  return askForAddress({
    title: vscode.l10n.t('Measure My Retriever (2 of 3)'),
    prompt: prompt?.() ?? vscode.l10n.t('Its address.'),
    value: value ?? usual,
    ...(isFolder === undefined ? {} : { isFolder }),
    problemOf: (typed) => problemOf(store, typed),
  });
}

/** Checked while the user types, before anything is written. */
function problemOf({ type, fields }: NamedStore, address: string): string | undefined {
  const place = isKept(type, address) ? { key: '-' } : { [addressField(type)]: address };
  const { error } = storeRetrieverSchema.safeParse({ type, ...place, ...fields, embedder: '-' });
  const issue = error?.issues.find(({ path: [field] }) => field === addressField(type));
  return issue && vscode.l10n.t('The address {0}.', issue.message);
}

/** Finds the connection string in the environment or in `.env`, under a name that occurs in the code. */
async function connectionString(
  begins: RegExp,
  text: string,
  folder: vscode.Uri,
): Promise<string | undefined> {
  const file = await readText(vscode.Uri.joinPath(folder, '.env')).catch(() => '');
  const lines = file
    .split('\n')
    .map((line) => /^(?:export )?(\w{1,100})="?([^"\r\n]{1,2000})"?$/u.exec(line.trim()));
  const environment = new Map(Object.entries(process.env));
  for (const line of lines) if (line) environment.set(line[1]!, line[2]);
  const written = [...text.matchAll(/["'`](\w[\w+]{1,30}:\/\/[^"'`\s]{1,500})["'`]/gu)]
    .map(([, address]) => address!)
    .find((address) => begins.test(address));
  const words = new Set(text.match(/\w+/gu));
  const [named] = [...environment].flatMap(([name, value]) =>
    value !== undefined && begins.test(value) && words.has(name) ? [value] : [],
  );
  return (named ?? written)?.replace(/^(postgres(?:ql)?)\+\w+:/u, '$1:');
}

/**
 * Whether the address is stored as a key, because a connection string may contain a password, which must not be in
 * parallax.json.
 */
const isKept = (type: NamedStore['type'], address: string): boolean =>
  STORES[type].address.connection?.test(address) === true && mayHoldSecret(address);

/** @returns the name of an embedder, or `undefined` if none fits or the user cancels */
async function askEmbedder(model: string | undefined, { config }: MeasureParts): Promise<string | undefined> {
  const items = Object.entries(config().embedders)
    .map(([name, embedder]) => ({
      name,
      label: name,
      description:
        model !== undefined && isModel(embedder, model) ? vscode.l10n.t('the model in your code') : '',
    }))
    .toSorted((a, b) => Number(b.description !== '') - Number(a.description !== ''));
  const builtIn = BUILT_IN_EMBEDDERS.map((name) => ({
    name,
    label: name,
    description: vscode.l10n.t('only if "parallax push" filled it'),
  }));
  const another = { name: undefined, label: vscode.l10n.t('Add another to parallax.json…'), description: '' };
  const chosen = await vscode.window.showQuickPick<(typeof items)[number] | typeof another>(
    [...items, ...builtIn, another],
    {
      title: vscode.l10n.t('Measure My Retriever (3 of 3)'),
      placeHolder: vscode.l10n.t('Which embedder made the vectors in the store?'),
    },
  );
  if (chosen === another) await vscode.commands.executeCommand(COMMANDS.openConfig);
  return chosen?.name;
}

/** @returns whether it answers; false if the user cancels */
async function answers(name: string, retriever: StoreRetriever, { engine }: MeasureParts): Promise<boolean> {
  const again = vscode.l10n.t('Try Again');
  for (;;) {
    const answer = await withProgress(vscode.l10n.t('Parallax: asking {0}', name), ({ signal }) =>
      engine.request('checkRetriever', { retriever }, { signal }),
    );
    if (answer.ok) return true;
    const message = vscode.l10n.t('{0} It is in parallax.json as "{1}".', answer.message, name);
    if ((await vscode.window.showWarningMessage(withoutLinks(message), again)) !== again) return false;
  }
}
