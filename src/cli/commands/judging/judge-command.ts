/** `parallax judge`: commands about judges themselves. */
import { UsageError, type Io } from '../../presentation/terminal.ts';

type Subcommand = (argv: readonly string[], io: Io) => Promise<number>;

const SUBCOMMANDS: Readonly<Record<string, { summary: string; load: () => Promise<Subcommand> }>> = {
  validate: {
    summary: 'Measure judges on labelled pairs.',
    load: async () => (await import('./judge-validate-command.ts')).judgeValidateCommand,
  },
  resist: {
    summary: 'See whether judges follow instructions in passages.',
    load: async () => (await import('../../../features/papers/cli/door.ts')).paperCommands.resist(),
  },
  calibrate: {
    summary: 'Choose the threshold of an NLI judge on labelled pairs.',
    load: async () => (await import('./judge-calibrate-command.ts')).judgeCalibrateCommand,
  },
};

/** @returns the exit code */
export async function judgeCommand(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--help' || name === '-h') {
    io.stdout(help());
    return 0;
  }
  const subcommand = name !== undefined && Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (!subcommand)
    throw new UsageError(
      `parallax judge takes ${new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.keys(SUBCOMMANDS))}${name === undefined ? '' : `, not "${name}"`}.`,
    );
  return (await subcommand.load())(rest, io);
}

function help(): string {
  const width = Math.max(...Object.keys(SUBCOMMANDS).map((name) => name.length));
  const lines = Object.entries(SUBCOMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `parallax judge <command> [options]\n\n${lines.join('\n')}\n\nparallax judge <command> --help explains a command.\n`;
}
