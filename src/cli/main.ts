/**
 * The command line, with the same engine as the editor, in this process. Always English, because programs and
 * colleagues elsewhere read its output.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { messageOf, ParallaxError } from '../core/errors.ts';
import { endWithCaller } from './end-with-caller.ts';
import { DONE, FAILED, unexpectedCode, USAGE } from './exit-codes.ts';
import { dataInLog, isFile, isInWorkflow, printable } from './presentation/printable.ts';
import { UsageError, type Io, type OutputKind } from './presentation/terminal.ts';

type Command = (argv: string[], io: Io) => Promise<number>;

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Commands by purpose. Loaded on demand: `parallax metrics` needs no index, `parallax --help` needs nothing. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  'Look into one question': {
    index: {
      summary: 'Index files and folders.',
      load: async () => (await import('./commands/index-command.ts')).indexCommand,
    },
    search: {
      summary: 'Run one query through a pipeline.',
      load: async () => (await import('./commands/search-command.ts')).searchCommand,
    },
    explain: {
      summary: 'Say why a document is not retrieved for a question, and what would bring it in.',
      load: async () => (await import('../features/explain/cli/explain-command.ts')).explainCommand,
    },
    capture: {
      summary: 'Receive what programs retrieve while they run, as a file to evaluate.',
      load: async () => (await import('../features/capture/cli/capture-command.ts')).captureCommand,
    },
    run: {
      summary: 'Run a program, and see or measure what its own calls retrieve.',
      load: async () => (await import('../features/live/cli/run-command.ts')).runCommand,
    },
    check: {
      summary: 'Check that the retrievers of a pipeline can be reached and behave consistently.',
      load: async () => (await import('./commands/check-command.ts')).checkCommand,
    },
  },
  'Evaluate pipelines': {
    eval: {
      summary:
        'Score pipelines on queries with judgements, or view the same evaluation otherwise: --view\n' +
        'analyses (where coverage is lost), tuning, pool (holes in the judgements), answers.',
      load: async () => (await import('./commands/eval-command.ts')).evalCommand,
    },
    metrics: {
      summary: 'Score a TREC run against TREC or diversity qrels.',
      load: async () => (await import('./commands/metrics-command.ts')).metricsCommand,
    },
    pir: {
      summary: 'p-Recall of pipelines on a PIR task.',
      load: async () => (await import('../features/papers/cli/door.ts')).paperCommands.pir(),
    },
  },
  'Prevent regressions': {
    gate: {
      summary: 'Fail when retrieval covers less than parallax.json demands, or less than a baseline.',
      load: async () => (await import('../features/gate/cli/gate-command.ts')).gateCommand,
    },
  },
  'Make questions, labels and corpora': {
    build: {
      summary: 'Build an eval set from a corpus, questions or a query log, with a model and for review.',
      load: async () => (await import('../features/building/cli/build-command.ts')).buildCommand,
    },
    import: {
      summary: 'Turn a table of labels, or diversity qrels, into labels of a workspace.',
      load: async () => (await import('./commands/import-command.ts')).importCommand,
    },
    judge: {
      summary: 'Measure judges on labelled pairs.',
      load: async () => (await import('./commands/judging/judge-command.ts')).judgeCommand,
    },
    convert: {
      summary: 'Read and write the files of other evaluation tools.',
      load: async () => (await import('./commands/convert-command.ts')).convertCommand,
    },
    push: {
      summary: 'Write a corpus with its vectors into a store.',
      load: async () => (await import('./commands/push-command.ts')).pushCommand,
    },
    web: {
      summary: 'Fetch the pages that a search provider finds for queries, as a corpus.',
      load: async () => (await import('../features/web-corpus/cli/web-command.ts')).webCommand,
    },
  },
  'Serve agents': {
    'mcp-proxy': {
      summary: 'Record the searches of any MCP server, as a file to evaluate.',
      load: async () => (await import('../features/capture/cli/mcp-proxy-command.ts')).mcpProxyCommand,
    },
    mcp: {
      summary: 'Serve tools for agents over the Model Context Protocol.',
      load: async () => (await import('../features/agents/cli/mcp-command.ts')).mcpCommand,
    },
  },
};

const COMMANDS: Readonly<Record<string, CommandEntry>> = Object.assign({}, ...Object.values(GROUPS));

/** The exit code of an unexpected failure. */
let failedCode: number = FAILED;

const inWorkflow = isInWorkflow(process.env);
const io: Io = {
  stdout: (text, kind) => void process.stdout.write(forStdout(text, kind)),
  stderr: (text, kind) => void process.stderr.write(kind === 'live' ? text : printable(text, inWorkflow)),
};

function forStdout(text: string, kind: OutputKind | undefined): string {
  if (kind === 'commands' && !process.stdout.isTTY) return text;
  // On a terminal, data for programs is also read by people.
  if (kind === undefined || process.stdout.isTTY) return printable(text, inWorkflow && kind !== 'commands');
  return inWorkflow && !isFile(process.stdout.fd) ? dataInLog(text) : text;
}

function help(): string {
  const width = Math.max(
    ...Object.values(GROUPS)
      .flatMap(Object.keys)
      .map((name) => name.length),
  );
  const groups = Object.entries(GROUPS).map(([title, commands]) => {
    const lines = Object.entries(commands).map(
      ([name, { summary }]) =>
        `  ${name.padEnd(width)}  ${summary.replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`,
    );
    return `${title}\n${lines.join('\n')}\n`;
  });
  return `parallax <command> [options]\n\n${groups.join('\n')}\nparallax <command> --help explains a command.\n`;
}

/**
 * The version of the package, whose manifest is one folder above the bundle, in the extension and in the npm package.
 */
function version(): string {
  const manifest = createRequire(import.meta.url)('../package.json') as { readonly version: string };
  return `${manifest.version}\n`;
}

async function main(argv: string[]): Promise<number> {
  // Arguments after -- belong to another program.
  const end = argv.indexOf('--');
  const ownArguments = end === -1 ? argv : argv.slice(0, end);
  const verbose = ownArguments.includes('--verbose');
  const [name, ...args] = ownArguments.filter((argument) => argument !== '--verbose');
  const rest = [...args, ...argv.slice(ownArguments.length)];
  if (name === undefined || name === '--help' || name === '-h') {
    io.stdout(help());
    return name === undefined ? USAGE : DONE;
  }
  if (name === '--version') {
    io.stdout(version());
    return DONE;
  }
  failedCode = unexpectedCode(name);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    io.stderr(`parallax: there is no command "${name}". parallax --help lists them.\n`);
    return USAGE;
  }
  try {
    const run = await command.load();
    return await run(rest, io);
  } catch (error) {
    io.stderr(
      `parallax: ${verbose && error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`,
    );
    return isUsage(error) ? USAGE : failedCode;
  }
}

/** Whether only another command line or configuration can fix the error. */
function isUsage(error: unknown): boolean {
  return (
    error instanceof UsageError ||
    ParallaxError.is(error, 'bad-pipeline') ||
    ParallaxError.is(error, 'bad-config')
  );
}

/** Ends the process, because it cannot continue after an error outside of a request. */
function crash(error: unknown): never {
  // Written synchronously, because the process exits without flushing its streams.
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    writeSync(
      process.stderr.fd,
      `parallax: unexpected error, the run ends: ${printable(text, inWorkflow)}\n`,
    );
  } finally {
    // Standard error may be closed as well.
    process.exit(failedCode);
  }
}

// A reader may close its pipe (`parallax … | head`). The work continues and determines the exit code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  io.stderr(`parallax: standard output cannot be written: ${messageOf(error)}\n`);
  process.exit(failedCode);
});
process.stderr.on('error', () => undefined);
process.on('uncaughtException', crash);
endWithCaller();
process.exitCode = await main(process.argv.slice(2));
