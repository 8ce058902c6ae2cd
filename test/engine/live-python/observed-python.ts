/** Runs the programs of test/fixtures/live/python, with and without the hook, against a receiver of the protocol. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  livePlanSchema,
  programMessageSchema,
  type ProgramMessage,
  type WrittenLivePlan,
} from '../../../src/features/live/contract/protocol.ts';

type WrittenLiveCall = WrittenLivePlan['files'][string]['calls'][number];

const HOOK = path.resolve('media/live/python');
export const PROGRAMS = realpathSync('test/fixtures/live/python');

/** Every installed interpreter that the hook supports. */
export function interpreters(): string[] {
  const versions = '/root/.pyenv/versions';
  const own = existsSync(versions)
    ? readdirSync(versions)
        .filter((name) => /^3\.(?:9|1\d)\./u.test(name))
        .map((name) => path.join(versions, name, 'bin/python'))
    : [];
  return [...own, ...['/usr/bin/python3', '/usr/local/bin/python3'].filter((file) => existsSync(file))];
}

/** Calls are marked in the program: `# observe: <expression of the same line> ## <options>`. */
export function markedCalls(text: string): WrittenLiveCall[] {
  return text.split('\n').flatMap((content, index): WrittenLiveCall[] => {
    const [code = '', mark] = content.split(/ {2}# observe: /u);
    if (mark === undefined) return [];
    const [expression = '', options = '{}'] = mark.split(' ## ');
    const { callee, question, k, chained, ...rest } = JSON.parse(options) as {
      readonly callee?: string;
      readonly question?: (string | number)[];
      readonly k?: (string | number)[];
      readonly chained?: string;
    } & Partial<WrittenLiveCall>;
    const start = code.lastIndexOf(expression);
    if (start < 0) throw new Error(`${expression} is not in its line`);
    const name = callee ?? nameCalled(expression);
    const line = index + 1;
    return [
      {
        site: `${line}:${start}`,
        start: [line, start],
        end: [line, start + expression.length],
        callee: { start: [line, start], end: [line, start + name.length] },
        returns: 'passages',
        question: question ? { path: question } : null,
        k: k ? { path: k, ...(chained === undefined ? {} : { chained }) } : null,
        ...rest,
      },
    ];
  });
}

/** The text before the parenthesis that the last one closes. */
function nameCalled(expression: string): string {
  let depth = 0;
  for (let at = expression.length - 1; at >= 0; at--) {
    if (expression[at] === ')') depth++;
    if (expression[at] === '(' && --depth === 0) return expression.slice(0, at);
  }
  throw new Error(`${expression} is no call`);
}

export interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Observed extends Outcome {
  readonly messages: readonly ProgramMessage[];
  readonly connections: number;
  /** The content of the spool folder. */
  readonly spooled: readonly string[];
}

export interface RunOptions {
  readonly python: string;
  /** Arguments of the interpreter. Defaults to the program alone. */
  readonly args?: readonly string[];
  readonly plan?: Partial<WrittenLivePlan>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with each message; it may write to the program. */
  readonly onMessage?: (message: ProgramMessage, socket: Socket) => void;
  readonly listens?: boolean;
}

/** One run with the hook. */
export async function observed(files: readonly string[], options: RunOptions): Promise<Observed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-live-'));
  const spool = path.join(folder, 'spool');
  mkdirSync(spool);
  const messages: ProgramMessage[] = [];
  const sockets: Promise<void>[] = [];
  const server = createServer((socket) => {
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const message = programMessageSchema.parse(JSON.parse(line));
        messages.push(message);
        options.onMessage?.(message, socket);
      }
    });
    socket.on('error', () => undefined);
    sockets.push(new Promise((resolve) => void socket.on('close', () => resolve())));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  if (options.listens === false) await new Promise((resolve) => void server.close(resolve));
  const plan = livePlanSchema.parse({
    protocol: 1,
    port,
    token: 'a'.repeat(32),
    spool,
    files: Object.fromEntries(
      files.map((file) => {
        const bytes = readFileSync(file);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return [realpathSync(file), { sha256, calls: markedCalls(bytes.toString()) }];
      }),
    ),
    ...options.plan,
  });
  const planFile = path.join(folder, 'plan.json');
  writeFileSync(planFile, JSON.stringify(plan), { mode: 0o600 });
  const before = process.env['PYTHONPATH'];
  const outcome = await run(files[0] ?? 'program', {
    ...options,
    env: {
      ...options.env,
      PARALLAX_LIVE: planFile,
      PYTHONPATH: [HOOK, options.env?.['PYTHONPATH'], before].filter(Boolean).join(path.delimiter),
    },
  });
  if (options.listens !== false) {
    await Promise.all(sockets);
    await new Promise((resolve) => void server.close(resolve));
  }
  const spooled = readdirSync(spool).filter((name) => name.endsWith('.jsonl'));
  rmSync(folder, { recursive: true });
  return { ...outcome, messages, connections: sockets.length, spooled };
}

/** One run without the hook. */
export async function run(file: string, { python, args, env, cwd }: RunOptions): Promise<Outcome> {
  const child = spawn(python, [...(args ?? [file])], {
    cwd: cwd ?? path.dirname(file),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONHASHSEED: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [child.stdout, child.stderr].map(async (stream) => {
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('exit', (exit, by) => resolve([exit, by]));
  });
  return { code, signal, stdout: await stdout!, stderr: await stderr! };
}

export function retrievals(
  messages: readonly ProgramMessage[],
): Extract<ProgramMessage, { type: 'retrieval' }>[] {
  return messages.filter((message) => message.type === 'retrieval');
}

/** A result as the program prints it: rows without their columns, objects without their class. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('$type' in value && value.$type === 'Rows') return (value as unknown as { rows: unknown }).rows;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (name === '$type' ? [] : [[name, plain(each)]])),
  );
}
