/** A real engine on a small corpus of quarrels, with a scripted model that answers all its requests. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Draft } from '../../../src/features/building/core/draft.ts';
import { parseDrafts } from '../../fixtures/parse-drafts.ts';
import type { EngineMethod, Params, ProgressNote, Result } from '../../../src/shared/rpc.ts';
import {
  startModelServer,
  verdictReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../fixtures/model-server.ts';
import { readFenced } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';

export type Kind =
  | 'disagreement'
  | 'personal'
  | 'negation'
  | 'contrast'
  | 'answers'
  | 'suggestions'
  | 'stances'
  | 'judgement';

export interface Asking {
  readonly kind: Kind;
  readonly texts: Readonly<Record<string, string>>;
  readonly request: ChatRequest;
}

export type Script = (asking: Asking) => ChatReply | undefined | Promise<ChatReply | undefined>;

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['disagreement', /^You read two passages/],
  ['personal', /^You sort questions/],
  ['negation', /^You turn a question into two statements/],
  ['contrast', /contrasting perspectives/],
  ['answers', /^You are given a question on which people differ/],
  ['suggestions', /^You are given a question and numbered passages/],
  ['stances', /on which side of the question each statement stands/],
  ['judgement', /^You examine passages/],
];

export function askingOf(request: ChatRequest): Asking {
  const { system, texts } = readFenced(request.messages);
  const kind = KINDS.find(([, words]) => words.test(system))?.[0];
  if (!kind) throw new Error(`Nobody knows this prompt: ${system.slice(0, 80)}`);
  return { kind, texts, request };
}

const json = (value: object): ChatReply => ({ text: JSON.stringify(value) });

/** Passages on the same topic disagree when one is for it and the other against it. */
export function usualReply({ kind, texts }: Asking): ChatReply {
  const question = texts['question'] ?? '';
  switch (kind) {
    case 'disagreement': {
      const [first, second] = [sideOf(texts['first']!), sideOf(texts['second']!)];
      if (first.topic !== second.topic || first.side === second.side)
        return json({
          reason: 'They agree.',
          disagree: false,
          question: null,
          yes: null,
          no: null,
          speaksForYes: null,
        });
      return json({
        reason: `About ${first.topic}.`,
        disagree: true,
        question: `Is ${first.topic} good?`,
        yes: `Yes, ${first.topic} is good.`,
        no: `No, ${first.topic} is bad.`,
        speaksForYes: first.side === 'praised' ? 'first' : 'second',
      });
    }
    case 'personal':
      return json({ reason: 'Scripted.', personal: /\bhave you\b/i.test(question) });
    case 'negation':
      return json(
        /^(?:which|what|how|why)\b/i.test(question)
          ? { reason: 'It asks which.', yes: null, no: null }
          : { reason: null, yes: `It is so: ${question}`, no: `It is not so: ${question}` },
      );
    case 'contrast':
      return json({
        praise: `${topicIn(question)} is praised`,
        scorn: `${topicIn(question)} is cursed`,
        other: 'Other.',
      });
    case 'answers':
      return json({
        'in favour': `For: ${question}`,
        against: `Against: ${question}`,
        third: `Else: ${question}`,
      });
    case 'suggestions': {
      const cursed = Object.keys(texts).filter((label) => texts[label]!.includes('cursed'));
      return json({
        perspectives: [{ name: 'scorn', statement: `Against: ${question}`, passages: cursed }],
        expected: [{ name: 'other', statement: `Else: ${question}` }],
      });
    }
    case 'stances':
      return json({ 1: 'support', 2: 'oppose', 3: 'neither' });
    case 'judgement': {
      const { topic, side } = sideOf(texts['passage']!);
      const statement = texts['statement']!;
      const isPraise = /praised|^Yes/.test(statement);
      const isScorn = /cursed|^No/.test(statement);
      const supports = statement.includes(topic) && (side === 'praised' ? isPraise : isScorn);
      return verdictReply(supports ? 'yes' : 'no');
    }
  }
}

const topicIn = (text: string): string => /topic\w+/.exec(text)?.[0] ?? 'nothing';

function sideOf(passage: string): { readonly topic: string; readonly side: 'praised' | 'cursed' } {
  return { topic: topicIn(passage), side: passage.includes('praised') ? 'praised' : 'cursed' };
}

/** Two documents for each topic, one in favour and one against. */
export function quarrels(topics: readonly string[]): Record<string, string> {
  const because = (topic: string): string =>
    `because ${topic} has been with us in ${topic} for years and everybody in town has a view of ${topic}`;
  return Object.fromEntries(
    topics.flatMap((topic) => [
      [`docs/${topic}-for.md`, `In this letter ${topic} is praised by the baker ${because(topic)}.\n`],
      [
        `docs/${topic}-against.md`,
        `The mayor of the town wrote that ${topic} is cursed, ${because(topic)}.\n`,
      ],
    ]),
  );
}

type BuildParams = Params<'build'>;

export interface Bench {
  readonly folder: string;
  readonly server: ModelServer;
  /** The kinds of the received prompts. */
  readonly asked: Kind[];
  readonly draftsFile: string;
  readonly progress: ProgressNote[];
  drafts(): readonly Draft[];
  write(name: string, text: string): string;
  ask<M extends EngineMethod>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>>;
  /** Builds with the usual settings. */
  build(
    material: BuildParams['material'],
    more?: Partial<BuildParams>,
    signal?: AbortSignal,
  ): Promise<Result<'build'>>;
  /** A new engine on the same storage. */
  restart(): Promise<void>;
}

/** @param script what is answered otherwise than usual */
export async function benchFor(
  t: TestContext,
  {
    script = () => undefined,
    topics = ['topica', 'topicb', 'topicc'],
  }: { script?: Script; topics?: readonly string[] } = {},
): Promise<Bench> {
  const asked: Kind[] = [];
  const server = await startModelServer({
    chat: async (request) => {
      const asking = askingOf(request);
      asked.push(asking.kind);
      return (await script(asking)) ?? usualReply(asking);
    },
  });
  const openai = {
    type: 'openai',
    mode: 'pair',
    baseUrl: server.url,
    maxRetries: 0,
    concurrency: 2,
  } as const;
  const workspace = await testWorkspace(t, {
    files: {
      ...quarrels(topics),
      // Too short to argue anything; without a file there would be no corpus.
      'docs/short.md': 'Nothing to say.\n',
    },
    corpora: { town: { roots: ['docs'] } },
    judges: { writer: { ...openai, model: 'writer' }, judge: { ...openai, model: 'judge' } },
  });
  t.after(() => server.close());
  const { folder } = workspace;
  const draftsFile = path.join(folder, '.parallax/drafts.jsonl');
  const progress: ProgressNote[] = [];
  const bench: Bench = {
    folder,
    server,
    asked,
    draftsFile,
    progress,
    drafts: () => (existsSync(draftsFile) ? parseDrafts(readFileSync(draftsFile, 'utf8'), 'd').drafts : []),
    write: (name, text) => workspace.write(name, text),
    ask: (method, params, signal) =>
      workspace.request(method, params, { signal, onNote: (note) => void progress.push(note) }),
    build: (material, more = {}, signal = new AbortController().signal) =>
      bench.ask('build', { material, generator: 'writer', count: 20, drafts: draftsFile, ...more }, signal),
    restart: async () => {
      await workspace.restart();
      await workspace.index('town');
    },
  };
  return bench;
}
