/** Links that run a command: those of ours are made in one place, and nobody else makes any. */

/** The address of such a link: whatever the argument says, it ends neither the address nor the link. */
export function commandLink(command: string, argument?: unknown): string {
  if (argument === undefined) return `command:${command}`;
  const encoded = encodeURIComponent(JSON.stringify([argument]));
  // Left alone by that function, and signs of Markdown.
  const signs = encoded.replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `command:${command}?${signs}`;
}

/**
 * The same text as words. In messages and titles of progress the editor takes `[words](command:…)` for a link that runs any
 * command, also one of its own; what files, models and servers say stands in them.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}
