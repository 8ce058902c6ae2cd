/** `parallax mcp-proxy`: passes a connection to an MCP server on, byte by byte, and records its searches. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { messageOf, ParallaxError } from '../../../core/errors.ts';
import { endTree } from '../../../engine/concurrency/process-tree.ts';
import { command } from '../../../cli/commands/command.ts';
import { readConfig } from '../../../cli/options/read-config.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';
import { untilInterrupted } from '../../../cli/until-interrupted.ts';
import { StreamLines } from '../../../core/text/stream-lines.ts';
import { McpCalls } from '../core/mcp-calls.ts';
import { whyNotReplaced } from '../../live/cli/measuring.ts';
import { capturedLine } from './captured-line.ts';

/** Time that the server has to end. */
const GRACE_MS = 5000;
const OWNER_ONLY = { mode: 0o600 };
/** Characters of a message. A longer one is passed on without being read. */
const LONGEST = 32 * 1024 * 1024;

export const mcpProxyCommand = command({
  usage: 'parallax mcp-proxy [--to captured.jsonl] -- <command> <arguments>',
  about: `Stands between an agent and an MCP server (stdio): name it in the agent's configuration in place of the server. What
both send passes unchanged. The searches among the calls of tools are added to a file as JSON lines, which
--pipeline '{"retriever":{"type":"run","file":"captured.jsonl"}}' of eval and gate scores. Exits as the server does.
`,
  positionals: true,
  argument: ['-- <command>', 'starts the server'],
  options: {
    to: {
      type: 'string',
      default: 'captured.jsonl',
      help: 'the file for the searches (default captured.jsonl)',
    },
    config: {
      type: 'string',
      help: 'parallax.json with "capture" (default: the one in this folder, if any)',
    },
  },

  async run({ values, positionals }, io) {
    const [name, ...rest] = positionals;
    if (name === undefined) throw new UsageError('The command of the server is missing: add it after --.');
    const { tools } = (await readConfig(values.config)).capture;
    const reason = await whyNotReplaced(values.to);
    return untilInterrupted((signal) =>
      proxy([name, ...rest], recorder({ file: values.to, reason }, tools, io), signal),
    );
  },
});

interface Recorder {
  readonly fromClient: (chunk: Buffer) => void;
  readonly fromServer: (chunk: Buffer) => void;
}

/**
 * A failure to record never disturbs the connection.
 *
 * @param to its `reason` is why nothing is added to the file
 */
function recorder(
  { file, reason }: { readonly file: string; readonly reason: string | undefined },
  tools: ConstructorParameters<typeof McpCalls>[0],
  io: Io,
): Recorder {
  const calls = new McpCalls(tools, randomUUID());
  const client = new StreamLines(LONGEST);
  const server = new StreamLines(LONGEST);
  let isFailing = false;
  const record = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!isFailing) io.stderr(`parallax: a search is not recorded: ${messageOf(error)}\n`);
      isFailing = true;
    }
  };
  const write = (line: string): void => {
    if (reason !== undefined) throw new Error(reason);
    appendFileSync(file, line, OWNER_ONLY);
  };
  return {
    fromClient: (chunk) =>
      record(() => {
        for (const line of client.take(chunk)) calls.ask(line, Date.now());
      }),
    fromServer: (chunk) =>
      record(() => {
        for (const line of server.take(chunk))
          for (const search of calls.answer(line)) write(capturedLine(search));
      }),
  };
}

async function proxy(
  [name, ...rest]: readonly [string, ...string[]],
  { fromClient, fromServer }: Recorder,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(name, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // The server may end before it has read everything.
  child.stdin.on('error', () => undefined);
  process.stdin.on('data', fromClient);
  process.stdin.pipe(child.stdin);
  child.stdout.on('data', fromServer);
  child.stdout.pipe(process.stdout, { end: false });
  let ending = Promise.resolve();
  const end = (): void => {
    if (child.pid !== undefined) ending = endTree(child.pid, 'SIGTERM', GRACE_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  // The client is gone, and without the proxy the server would find its pipe closed.
  process.stdout.once('error', end);
  try {
    const [code] = await closed;
    return code ?? (signal.aborted ? 0 : 1);
  } catch (error) {
    throw new ParallaxError('not-found', `${name} cannot be run: ${messageOf(error)}.`, { cause: error });
  } finally {
    signal.removeEventListener('abort', end);
    process.stdout.off('error', end);
    await ending;
    process.stdin.unpipe(child.stdin);
    process.stdin.pause();
  }
}
