/**
 * Writes what panels check of messages, webview/<panel>/message-guards.ts, from the zod schemas that the extension host
 * goes by: `node scripts/guards.ts`. The schemas themselves are too heavy for a page; see
 * webview/components/message-guard.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import * as z from 'zod';
import { correctionSchema } from '../src/core/metrics/correction.ts';
import { pipelineSchema } from '../src/core/pipeline.ts';
import { likenessSchema } from '../src/shared/likeness.ts';
import { toCompareSchema } from '../src/shared/panels/compare.ts';
import { toDraftsSchema } from '../src/shared/panels/drafts-panel.ts';
import { toHistorySchema } from '../src/shared/panels/history-panel.ts';
import { toMapSchema } from '../src/shared/panels/map-panel.ts';
import { toInspectorSchema } from '../src/shared/panels/inspector.ts';
import { isMain } from './lib/processes.mjs';
import { ROOT } from './lib/project.mjs';

/** Of JSON Schema, what the schemas of messages come to. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  minItems?: number;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  /** The name in {@link SHARED} of what stands here. */
  guard?: string;
}

const PANELS = [
  { folder: 'compare', schema: toCompareSchema, message: 'ToCompare', from: 'panels/compare.ts' },
  { folder: 'history', schema: toHistorySchema, message: 'ToHistory', from: 'panels/history-panel.ts' },
  { folder: 'drafts', schema: toDraftsSchema, message: 'ToDrafts', from: 'panels/drafts-panel.ts' },
  { folder: 'map', schema: toMapSchema, message: 'ToMap', from: 'panels/map-panel.ts' },
  { folder: 'inspector', schema: toInspectorSchema, message: 'ToInspector', from: 'panels/inspector.ts' },
] as const;

/** Parts of several panels' messages: each has its guard in a file of its own, so that a page loads what it needs. */
const SHARED = [
  { name: 'isLikeness', schema: likenessSchema, file: 'likeness-guard.ts', from: 'src/shared/likeness.ts' },
  {
    name: 'isCorrection',
    schema: correctionSchema,
    file: 'correction-guard.ts',
    from: 'src/core/metrics/correction.ts',
  },
] as const;

/** File name → content. */
export async function messageGuards(): Promise<Record<string, string>> {
  const panels = PANELS.map(({ folder, schema, message, from }) => ({
    file: `webview/${folder}/message-guards.ts`,
    source: panelSource(guardOf(jsonSchemaOf(schema)), message, from),
  }));
  const shared = SHARED.map(({ name, schema, file, from }) => ({
    file: `webview/components/${file}`,
    source: sharedSource(guardOf(jsonSchemaOf(schema, schema)), name, from),
  }));
  const files = [...panels, ...shared].map(
    async ({ file, source }) => [file, await formatted(file, source)] as const,
  );
  return Object.fromEntries(await Promise.all(files));
}

function panelSource(guard: string, message: string, from: string): string {
  const parts = SHARED.filter(({ name }) => isNamed(name, guard));
  return (
    `/** Written by scripts/guards.ts from the schemas of src/shared/${from}. */\n` +
    `import type { ${message} } from '../../src/shared/${from}';\n` +
    parts.map(({ name, file }) => `import { ${name} } from '../components/${file}';\n`).join('') +
    `import { ${['guardOf', ...usedIn(guard)].sort().join(', ')} } from '../components/message-guard.ts';\n\n` +
    `export const is${message} = guardOf<${message}>(${guard});\n`
  );
}

function sharedSource(guard: string, name: string, from: string): string {
  return (
    `/** Written by scripts/guards.ts from the schemas of ${from}. */\n` +
    `import { ${usedIn(guard).join(', ')} } from './message-guard.ts';\n\n` +
    `export const ${name} = ${guard};\n`
  );
}

/** The guards of which a guard is made. */
function usedIn(guard: string): string[] {
  return ['anything', 'dictionary', 'fields', 'flag', 'list', 'isRecord', 'nothing', 'number', 'oneOf']
    .concat('tagged', 'text', 'tuple')
    .filter((name) => isNamed(name, guard));
}

function isNamed(name: string, guard: string): boolean {
  return new RegExp(`\\b${name}\\b(?!:)`, 'u').test(guard);
}

async function formatted(name: string, source: string): Promise<string> {
  const style = JSON.parse(readFileSync(path.join(ROOT, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const { code, errors } = await format(name, source, style);
  if (errors[0]) throw new Error(`${name}: ${errors[0].message}`);
  return code;
}

/** @param whole a shared part that is to be written out itself */
function jsonSchemaOf(schema: z.ZodType, whole?: z.ZodType): Schema {
  return z.toJSONSchema(schema, {
    io: 'output',
    reused: 'inline',
    // Panels hand pipelines on and read little of them: a step that a page does not know yet is no reason to refuse them.
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === pipelineSchema) shallow(jsonSchema as Schema);
      const shared = SHARED.find((one) => (zodSchema as unknown) === one.schema && one.schema !== whole);
      if (shared) (jsonSchema as Schema).guard = shared.name;
    },
  }) as Schema;
}

/** Leaves of each field only of which kind it is. */
function shallow(schema: Schema): void {
  for (const [name, { type = 'object' }] of Object.entries(schema.properties ?? {}))
    schema.properties![name] = { type };
}

/** The expression that makes the guard of a schema. Ranges and lists of values are left to the extension host. */
function guardOf(schema: Schema): string {
  if (schema.guard !== undefined) return schema.guard;
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches) return unionOf(branches);
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => ({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'null':
      return 'nothing';
    case 'array':
      return arrayOf(schema);
    case 'object':
      return objectOf(schema);
    case undefined:
      return 'anything';
    default:
      throw new Error(`There is no guard for the type "${schema.type}".`);
  }
}

function arrayOf({ items, prefixItems, minItems = 0 }: Schema): string {
  if (prefixItems) return `tuple(${prefixItems.map(guardOf).join(', ')})`;
  return `list(${items ? guardOf(items) : 'anything'}${minItems > 0 ? `, ${minItems}` : ''})`;
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties)
    return typeof additionalProperties === 'object'
      ? `dictionary(${guardOf(additionalProperties)})`
      : 'isRecord';
  const guards = (wanted: boolean): string =>
    Object.entries(properties)
      .filter(([name]) => required.includes(name) === wanted)
      .map(([name, schema]) => `${JSON.stringify(name)}: ${guardOf(schema)}`)
      .join(', ');
  const optional = guards(false);
  return `fields({ ${guards(true)} }${optional === '' ? '' : `, { ${optional} }`})`;
}

/** Records that a constant tells apart are checked as what their constant says they are. */
function unionOf(branches: readonly Schema[]): string {
  const tag = tagOf(branches);
  if (tag === undefined) return `oneOf(${[...new Set(branches.map(guardOf))].join(', ')})`;
  const cases = branches.map(
    (branch) => `${JSON.stringify(branch.properties![tag]!.const)}: ${guardOf(branch)}`,
  );
  return `tagged(${JSON.stringify(tag)}, { ${cases.join(', ')} })`;
}

function tagOf([first, ...rest]: readonly Schema[]): string | undefined {
  const isTag =
    (name: string) =>
    (branch: Schema): boolean =>
      typeof branch.properties?.[name]?.const === 'string';
  return Object.keys(first?.properties ?? {}).find((name) => [first!, ...rest].every(isTag(name)));
}

if (isMain(import.meta.url))
  for (const [name, content] of Object.entries(await messageGuards()))
    writeFileSync(path.join(ROOT, name), content);
