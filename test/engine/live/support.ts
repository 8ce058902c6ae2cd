/** A run, and messages that programs send to it. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { LiveRun } from '../../../src/features/live/engine/live-run.ts';
import {
  livePlannedCallSchema,
  livePlanSchema,
  type LivePlan,
  type WrittenProgramMessage,
} from '../../../src/features/live/contract/protocol.ts';
import type { LiveEvent } from '../../../src/features/live/contract/requests.ts';

const CALL = livePlannedCallSchema.parse({
  site: 'rag.py##search#0',
  start: [4, 0],
  end: [4, 9],
  callee: { start: [4, 0], end: [4, 6] },
  returns: 'passages',
  question: null,
  k: null,
});

export interface Running {
  readonly run: LiveRun;
  readonly plan: LivePlan;
  readonly events: LiveEvent[];
  /** Resolves with the first event of the type, past or future. */
  readonly event: <Type extends LiveEvent['type']>(
    type: Type,
  ) => Promise<Extract<LiveEvent, { readonly type: Type }>>;
}

export async function begun(t: TestContext): Promise<Running> {
  const events: LiveEvent[] = [];
  const waiting = new Map<string, (event: LiveEvent) => void>();
  const run = await LiveRun.open({
    base: '/nowhere',
    texts: [{ file: 'rag.py', text: '', calls: [CALL] }],
    measure: { site: CALL.site, questions: [{ id: 'q1', text: 'Q' }], limitMs: 1000 },
    report: (event) => {
      events.push(event);
      waiting.get(event.type)?.(event);
    },
  });
  t.after(() => run.close());
  const plan = livePlanSchema.parse(JSON.parse(await readFile(run.plan, 'utf8')));
  const event: Running['event'] = (type) =>
    new Promise((resolve) => {
      const take = (found: LiveEvent): void => resolve(found as never);
      const past = events.find((each) => each.type === type);
      if (past) take(past);
      else waiting.set(type, take);
    });
  return { run, plan, events, event };
}

export function hello(token: string): WrittenProgramMessage {
  return {
    type: 'hello',
    protocol: 1,
    token,
    language: 'python',
    version: '3.11',
    pid: 7,
    ppid: 1,
    command: ['python'],
  };
}

export const RETRIEVAL: Extract<WrittenProgramMessage, { readonly type: 'retrieval' }> = {
  type: 'retrieval',
  id: '7-1',
  site: CALL.site,
  startedAt: 1000,
  durationMs: 2,
  question: 'Do cats purr?',
  k: 4,
  result: [{ $type: 'Document', page_content: 'Cats purr.', metadata: { source: 'a.md' } }],
  units: [{ unit: 'call', file: 'rag.py', line: 4 }],
};

export const lineOf = (message: WrittenProgramMessage): string => `${JSON.stringify(message)}\n`;

export async function connected(
  t: TestContext,
  { port, token }: Pick<LivePlan, 'port' | 'token'>,
): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(lineOf(hello(token)));
  return socket;
}
