/** The configured headers of requests to endpoints with the OpenAI protocol. */

export interface RequestHeaders {
  readonly apiKey?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The header that contains the plain key. Defaults to a bearer token in `Authorization`. */
  readonly keyHeader?: string | undefined;
}

/** @returns headers for the client, which does not send those with the value `null` */
export function requestHeaders({
  apiKey,
  headers,
  keyHeader,
}: RequestHeaders): Record<string, string | null> {
  const bearer = apiKey !== undefined && apiKey !== '' && keyHeader === undefined;
  return {
    ...(bearer ? {} : { Authorization: null }),
    ...(apiKey && keyHeader !== undefined ? { [keyHeader]: apiKey } : {}),
    ...headers,
  };
}
