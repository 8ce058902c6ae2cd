/** package.json as the editor shows it: `%key%` is a text of package.nls.json. */
import { readFileSync } from 'node:fs';

const PLACEHOLDER = /^%([\w.-]+)%$/u;

/** @throws when a text is missing */
export function readManifest<T>(): T {
  const texts = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
  return JSON.parse(readFileSync('package.json', 'utf8'), (_key, value: unknown) => {
    const key = typeof value === 'string' ? PLACEHOLDER.exec(value)?.[1] : undefined;
    if (key === undefined) return value;
    if (texts[key] === undefined) throw new Error(`package.nls.json has no "${key}"`);
    return texts[key];
  }) as T;
}
