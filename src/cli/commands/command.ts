/** Defines a command: its options with their help, and its action. */
import type { ParseArgsConfig } from 'node:util';
import { readOptions, type Io } from '../presentation/terminal.ts';

type NodeOption = NonNullable<ParseArgsConfig['options']>[string];

/**
 * An option as Node parses it. An option without `help` is not listed. A help of several lines contains line breaks.
 */
type Option = NodeOption & { readonly help?: string };
export type Options = Readonly<Record<string, Option>>;

const HELP = { help: { type: 'boolean', short: 'h', default: false } } as const;

type Read<T extends Options, P extends boolean> = ReturnType<typeof readOptions<T & typeof HELP, P>>;
/** The values of options, by name. */
export type Values<T extends Options> = Read<T, false>['values'];

/** Runs with its arguments and returns the exit code. `extra` is for tests. */
export type Command<Extra = undefined> = (argv: readonly string[], io: Io, extra?: Extra) => Promise<number>;

interface Definition<T extends Options, P extends boolean, Extra> {
  /** The first lines of the help: how to call the command. */
  readonly usage: string;
  /** Printed between the usage and the options. */
  readonly about?: string;
  /** Whether the command takes positional arguments. */
  readonly positionals?: P;
  /** The positional argument in the help, before the options. */
  readonly argument?: readonly [name: string, help: string];
  readonly options: T;
  /** Width of the column of names in the help. Defaults to the longest name. */
  readonly column?: number;
  /** Printed below the options. */
  readonly notes?: string;
  run(read: Read<T, P>, io: Io, extra?: Extra): Promise<number>;
}

/** @returns a command that throws UsageError for unknown options and handles `--help` */
export function command<const T extends Options, const P extends boolean = false, Extra = undefined>(
  definition: Definition<T, P, Extra>,
): Command<Extra> {
  const { options, positionals } = definition;
  return async (argv, io, extra) => {
    const read: Read<T, P> = readOptions(argv, { ...options, ...HELP }, positionals);
    if (!(read.values as { readonly help?: boolean }).help) return definition.run(read, io, extra);
    io.stdout(helpOf(definition));
    return 0;
  };
}

type Described = Pick<
  Definition<Options, boolean, never>,
  'usage' | 'about' | 'argument' | 'options' | 'column' | 'notes'
>;

function helpOf({ usage, about, argument, options, column, notes }: Described): string {
  const rows = Object.entries(options).flatMap(([name, { help }]): [string, string][] =>
    help === undefined ? [] : [[`--${name}`, help]],
  );
  if (argument) rows.unshift([...argument]);
  const width = column ?? Math.max(...rows.map(([name]) => name.length));
  const indent = ' '.repeat(2 + width + 2);
  const list = rows.map(
    ([name, help]) => `  ${name.padEnd(width)}  ${help.replaceAll('\n', `\n${indent}`)}\n`,
  );
  return [
    `${usage}\n`,
    ...(about === undefined ? [] : [about]),
    list.join(''),
    ...(notes === undefined ? [] : [notes]),
  ].join('\n');
}
