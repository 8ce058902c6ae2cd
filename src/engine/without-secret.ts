/** A shorter key protects nothing, and removing it would make texts unreadable. */
const SHORTEST = 8;

/**
 * Removes a sent key from a server's answer. Some servers repeat the key that they reject, or the whole request, and
 * their text reaches messages, logs, answers and files.
 *
 * @param secret the key or password, undefined if none was sent
 * @param user of basic authentication, which sends both in Base64
 */
export function withoutSecret(text: string, secret: string | undefined, user?: string): string {
  if (secret === undefined || secret.length < SHORTEST) return text;
  const basic = Buffer.from(`${user ?? ''}:${secret}`).toString('base64');
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), basic].reduce(
    (shown, form) => shown.replaceAll(form, '…'),
    text,
  );
}
