/** Environment variables with which an instrumented program sends its spans to Parallax. */

const TRACES_PATH = '/v1/traces';

/** In the editor's storage: the previous settings of agents before they were pointed at the receiver. */
export const AGENT_SETTINGS_FILE = 'agent-settings.json';

/** Used instead of the token in the path, which gRPC exporters ignore. */
export const TOKEN_HEADER = 'x-parallax-token';

/**
 * Defaults for programs that set nothing themselves. Spans are sent early, as unsent ones are lost when a program ends.
 * The receiver ignores metrics and the logs of most programs, and SDKs that send them keep a program from ending until they give up.
 */
const UNLESS_SET: Readonly<Record<string, string>> = {
  OTEL_BSP_SCHEDULE_DELAY: '200',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '64',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
};

/**
 * Exporters that support the protocol variable use HTTP, others gRPC. Traceloop's SDK uses a separate variable, and
 * sends to Traceloop without it.
 *
 * @param url of the receiver, with its path
 * @param present the environment of the program
 */
export function captureEnvironment(
  url: string,
  present: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string>> {
  const base = withoutPath(url);
  // Percent-encoded in both the path and the variable.
  const token = base.slice(base.lastIndexOf('/') + 1);
  const headers = `${TOKEN_HEADER}=${token}`;
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    // For coding agents that are told to log.
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${base}/v1/logs`,
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: headers,
    OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/protobuf',
    TRACELOOP_BASE_URL: base,
    ...Object.fromEntries(Object.entries(UNLESS_SET).filter(([name]) => present[name] === undefined)),
  };
}

/** The receiver's URL for exporters that append the path of traces themselves. */
export function withoutPath(url: string): string {
  return url.endsWith(TRACES_PATH) ? url.slice(0, -TRACES_PATH.length) : url;
}

/** Lines for an environment file, or to paste before a command. */
export function environmentLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
