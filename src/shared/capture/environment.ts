/** Variables that make an instrumented program send its spans to Parallax. */

const TRACES_PATH = '/v1/traces';

/** In the editor's own storage: what settings of agents were before they were set to the receiver. */
export const AGENT_SETTINGS_FILE = 'agent-settings.json';

/** In the place of the token in the path, of which exporters that speak gRPC take nothing. */
export const TOKEN_HEADER = 'x-parallax-token';

/**
 * Exporters that let the environment choose speak HTTP, others gRPC. Traceloop's kit looks at a variable of its own, and
 * sends to Traceloop without it.
 *
 * @param url of the receiver, with its path
 */
export function captureEnvironment(url: string): Readonly<Record<string, string>> {
  const base = withoutPath(url);
  // Percent-encoded in the path, and so in the variable.
  const token = base.slice(base.lastIndexOf('/') + 1);
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `${TOKEN_HEADER}=${token}`,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    TRACELOOP_BASE_URL: base,
  };
}

/** The address of a receiver as exporters want it that append the path of traces themselves. */
export function withoutPath(url: string): string {
  return url.endsWith(TRACES_PATH) ? url.slice(0, -TRACES_PATH.length) : url;
}

/** As lines of a file of variables, or to be pasted before a command. */
export function environmentLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
