/** Links of trusted Markdown that run a command of ours, made in one place. */

/** The address of such a link: whatever the argument says, it ends neither the address nor the link. */
export function commandLink(command: string, argument?: unknown): string {
  if (argument === undefined) return `command:${command}`;
  const encoded = encodeURIComponent(JSON.stringify([argument]));
  // Left alone by that function, and signs of Markdown.
  const signs = encoded.replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `command:${command}?${signs}`;
}
