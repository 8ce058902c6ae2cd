/** Variables that make an instrumented program send its spans to Parallax. */

const TRACES_PATH = '/v1/traces';

/**
 * The protocol is named because the usual exporters speak gRPC by default. Traceloop's kit looks at a variable of its own,
 * and sends to Traceloop without it.
 *
 * @param url of the receiver, with its path
 */
export function captureEnvironment(url: string): Readonly<Record<string, string>> {
  const base = url.endsWith(TRACES_PATH) ? url.slice(0, -TRACES_PATH.length) : url;
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    TRACELOOP_BASE_URL: base,
  };
}

/** As lines of a file of variables, or to be pasted before a command. */
export function environmentLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
