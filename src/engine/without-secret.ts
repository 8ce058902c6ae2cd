/** So short a key protects nothing, and to blot it out would make texts unreadable. */
const SHORTEST = 8;

/**
 * Takes the key that a server was sent out of its answer: some repeat the key that they reject, or the whole request,
 * and their words reach messages, logs, answers and files.
 *
 * @param secret the key or password, undefined where none was sent
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
