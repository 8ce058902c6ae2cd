/** The headers of requests to endpoints of the OpenAI protocol, as their configuration says. */

export interface RequestHeaders {
  readonly apiKey?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The header that carries the key as it is; a bearer token in `Authorization` when left out. */
  readonly keyHeader?: string | undefined;
}

/** @returns for the client, to which `null` means that it sends no such header */
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
