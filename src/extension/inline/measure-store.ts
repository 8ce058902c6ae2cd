/** "Measure My Retriever…" where the code says which store it searches: the store itself is asked, as the code asks it. */
import * as vscode from 'vscode';
import { BUILT_IN_EMBEDDERS } from '../../core/embedding/built-in.ts';
import { isLanceFolder } from '../../core/external/stores/lancedb.ts';
import { storeLabel, usualAddress } from '../../core/external/store-types.ts';
import { storeRetrieverSchema, type StoreRetriever } from '../../core/external/stores.ts';
import { withValue } from '../../core/formats/json-edit.ts';
import { COMMANDS } from '../../shared/manifest/contributions.ts';
import type { NamedStore } from '../../sites/named-store.ts';
import { isModel } from '../../sites/rebuild.ts';
import { mayHoldSecret } from '../../core/text/address-secrets.ts';
import { askForAddress } from '../platform/ask-address.ts';
import { readText } from '../platform/read-text.ts';
import { withProgress } from '../tasks/with-progress.ts';
import type { MeasureParts } from './measure-parts.ts';
import type { LocatedSite } from './site-documents.ts';
import { withoutLinks } from '../../core/text/without-links.ts';

/** The field for its address in `parallax.json`. */
const addressField = (type: NamedStore['type']): 'uri' | 'url' => (type === 'lancedb' ? 'uri' : 'url');

/**
 * Asks where the store answers and by which model questions become vectors, writes the pipeline, and asks the store
 * until it answers.
 *
 * @param name of the pipeline
 * @returns the name once the store has answered; undefined when a question is closed
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

/** The description that the code gives of the store, for the user to agree to. */
export function storeItem({ type, fields }: NamedStore): vscode.QuickPickItem {
  const said = storeRetrieverSchema.safeParse({ type, ...sample(type), ...fields, embedder: '-' }).data;
  return {
    label: vscode.l10n.t('Ask {0} itself', said ? storeLabel(said) : type),
    detail: vscode.l10n.t('As your code says: {0}', described(fields)),
  };
}

/** Placeholders for what a description needs and the code does not say. */
function sample(type: NamedStore['type']): object {
  if (type === 'postgres') return { url: 'postgres://a@b/c' };
  if (type === 'lancedb') return { uri: '-' };
  return type === 'pinecone' ? { url: 'https://index' } : {};
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
  const begins = CONNECTIONS[store.type];
  const value = begins ? await connectionString(begins, text, folder) : store.address;
  return askForAddress({
    title: vscode.l10n.t('Measure My Retriever (2 of 3)'),
    prompt: PROMPTS[store.type]?.() ?? vscode.l10n.t('Its address.'),
    value: value ?? usualAddress(store.type),
    ...(store.type === 'lancedb' ? { isFolder: isLanceFolder } : {}),
    problemOf: (typed) => problemOf(store, typed),
  });
}

/** The question to the user, where more than an address is asked for. */
const PROMPTS: Readonly<Partial<Record<NamedStore['type'], () => string>>> = {
  postgres: () =>
    vscode.l10n.t("The connection string. One with a password is kept in the editor's secret storage."),
  mongodb: () =>
    vscode.l10n.t(
      'The connection string. One with a password is kept in the editor\'s secret storage. It is used by MongoDB\'s driver, which "npm install mongodb" puts beside parallax.json.',
    ),
  chroma: () =>
    vscode.l10n.t('Its address. A folder of Chroma answers while "chroma run --path <folder>" runs.'),
  lancedb: () =>
    vscode.l10n.t(
      'The folder of the database. It is read by the client of LanceDB, which "npm install @lancedb/lancedb" puts beside parallax.json.',
    ),
};

/** How connection strings begin, of those that have them. Libraries of Python name their driver in that of PostgreSQL. */
const CONNECTIONS: Readonly<Partial<Record<NamedStore['type'], RegExp>>> = {
  postgres: /^postgres(?:ql)?(?:\+\w{1,20})?:\/\//u,
  mongodb: /^mongodb(?:\+srv)?:\/\//u,
};

/** Checked as the user types, before anything is written. */
function problemOf({ type, fields }: NamedStore, address: string): string | undefined {
  const place = isKept(type, address) ? { key: '-' } : { [addressField(type)]: address };
  const { error } = storeRetrieverSchema.safeParse({ type, ...place, ...fields, embedder: '-' });
  const issue = error?.issues.find(({ path: [field] }) => field === addressField(type));
  return issue && vscode.l10n.t('The address {0}.', issue.message);
}

/** Programs take it from the environment, or from a file of it, under a name that stands in the code. */
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

/** A password does not stand in parallax.json: the connection string that may hold one is kept as a key. */
const isKept = (type: NamedStore['type'], address: string): boolean =>
  CONNECTIONS[type]?.test(address) === true && mayHoldSecret(address);

/** @returns the name of an embedder; undefined when none fits, or the question is closed */
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
    description: vscode.l10n.t('only where "parallax push" filled it'),
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

/** @returns whether it answers, false when the user gives up */
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
