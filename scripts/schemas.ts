/**
 * Writes the JSON schemas that the editor uses for completion and validation from the zod schemas that the product
 * validates with: `node scripts/schemas.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { configSchema } from '../src/shared/config.ts';

/** Supported only by the editor: comments and trailing commas are allowed. */
const FOR_THE_EDITOR = { allowComments: true, allowTrailingCommas: true };

/** Schema file name → content. */
export function jsonSchemas(): Record<string, string> {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' });
  return {
    'parallax.schema.json': `${JSON.stringify({ title: 'Parallax', ...FOR_THE_EDITOR, ...schema }, null, 2)}\n`,
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = path.join(import.meta.dirname, '..', 'schemas');
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(jsonSchemas()))
    writeFileSync(path.join(folder, name), content);
}
