/** Variables that make an instrumented program send its spans to Parallax. */

const TRACES_PATH = '/v1/traces';

/** In the editor's own storage: what settings of agents were before they were set to the receiver. */
export const AGENT_SETTINGS_FILE = 'agent-settings.json';

/** In the place of the token in the path, of which exporters that speak gRPC take nothing. */
export const TOKEN_HEADER = 'x-parallax-token';

/**
 * Of a program that says nothing itself. Spans are sent soon, because what is still waiting when a program ends is lost.
 * Metrics and logs have nobody here who hears them, and kits that send them all the same keep a program from ending until
 * they have given up.
 */
const UNLESS_SET: Readonly<Record<string, string>> = {
  OTEL_BSP_SCHEDULE_DELAY: '200',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '64',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
};

/**
 * Exporters that let the environment choose speak HTTP, others gRPC. Traceloop's kit looks at a variable of its own, and
 * sends to Traceloop without it.
 *
 * @param url of the receiver, with its path
 * @param present the environment that the program has otherwise
 */
export function captureEnvironment(
  url: string,
  present: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string>> {
  const base = withoutPath(url);
  // Percent-encoded in the path, and so in the variable.
  const token = base.slice(base.lastIndexOf('/') + 1);
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `${TOKEN_HEADER}=${token}`,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    TRACELOOP_BASE_URL: base,
    ...Object.fromEntries(Object.entries(UNLESS_SET).filter(([name]) => present[name] === undefined)),
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
