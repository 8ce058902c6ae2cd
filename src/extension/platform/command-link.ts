/** The only place that builds links from trusted Markdown to our commands. */

/** The address of a command link. No argument can end the address or the link. */
export function commandLink(command: string, argument?: unknown): string {
  if (argument === undefined) return `command:${command}`;
  const encoded = encodeURIComponent(JSON.stringify([argument]));
  // `encodeURIComponent` keeps these characters, which Markdown interprets.
  const signs = encoded.replace(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `command:${command}?${signs}`;
}
