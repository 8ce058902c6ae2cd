/** Reads when an overloaded server wants to be asked again. */

/**
 * How long a server asks to wait: `Retry-After` in seconds or as a date (RFC 9110), or `retry-after-ms`.
 *
 * @param now milliseconds since 1970
 * @returns milliseconds, undefined if the headers contain neither
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const exact = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const value = headers?.get('retry-after') ?? '';
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds))
    return Math.min(Math.max(0, seconds * 1000), Number.MAX_SAFE_INTEGER);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
