/**
 * Writes the two lists of stores from the files that are there: `node scripts/stores.ts`. A store of type `qdrant` is
 * declared in src/core/external/stores/qdrant.ts, which exports `qdrant`, and is asked by
 * src/engine/external/stores/qdrant-store.ts, which exports `createStore`.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import style from '../.oxfmtrc.json' with { type: 'json' };
import { isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

const DECLARED = 'src/core/external';
const ASKED = 'src/engine/external/stores';

/** File → content. */
export async function storeLists(): Promise<Record<string, string>> {
  const types = readdirSync(path.join(ROOT, DECLARED, 'stores'))
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
  const declared = types.map((type) => `import { ${nameOf(type)} } from './stores/${type}.ts';`);
  const asked = types.map((type) => `import { createStore as ${nameOf(type)} } from './${type}-store.ts';`);
  const entries = types.map((type) => (type === nameOf(type) ? type : `'${type}': ${nameOf(type)}`)).join();
  return {
    [`${DECLARED}/stores.gen.ts`]:
      await formatted(`/** Written by scripts/stores.ts from the files of \`stores\`. */
${declared.join('\n')}

/** All types of stores, by their name in \`parallax.json\`. */
export const STORES = {${entries}};`),
    [`${ASKED}/dialects.gen.ts`]:
      await formatted(`/** Written by scripts/stores.ts from the types of stores. */
${asked.join('\n')}

/** Creates the client of each type of store. */
export const DIALECTS = {${entries}};`),
  };
}

/** `azure-search` → `azureSearch` */
const nameOf = (type: string): string =>
  type.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());

async function formatted(text: string): Promise<string> {
  const { code, errors } = await format('list.ts', text, style as FormatConfig);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}

if (isMain(import.meta.url))
  for (const [file, content] of Object.entries(await storeLists()))
    writeFileSync(path.join(ROOT, file), content);
