/** A chat model for the handbook: it judges passages, proposes perspectives, and answers trial requests. */
import { judgedReply, type ChatReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { evidence, PERSPECTIVES, QUESTION } from './handbook.ts';

/** Answers in the form that a prompt asks for, based only on its fenced texts. */
export function handbookModel({ messages }: ChatRequest): ChatReply {
  const texts = fenced(messages.map(({ content }) => content).join('\n'));
  if (texts.has('passage')) return judgedReply(messages, judged);
  if (texts.get('question') === QUESTION) return proposed(texts);
  return { text: '{"evidence": null, "verdict": "yes", "reason": "Tried."}' };
}

function judged(
  passage: string,
  statement: string,
): { evidence: string | null; verdict: string; reason: string } {
  const words = evidence(passage, statement);
  return {
    evidence: words ?? null,
    verdict: words === undefined ? 'no' : 'yes',
    reason: 'It says so, or does not.',
  };
}

function proposed(texts: ReadonlyMap<string, string>): ChatReply {
  const passages = [...texts].filter(([label]) => label.startsWith('passage-'));
  const views = PERSPECTIVES.map(({ text }, i) => ({
    name: `view ${i + 1}`,
    statement: text,
    passages: passages.flatMap(([label, passage]) => (evidence(passage, text) === undefined ? [] : [label])),
  }));
  return { text: JSON.stringify({ perspectives: views, expected: [] }) };
}

/** The texts of a prompt by their labels, fenced by the code that the prompt announces. */
function fenced(prompt: string): Map<string, string> {
  const code = /\bthe code ([0-9a-f]{6,16})\b/u.exec(prompt)?.[1] ?? '';
  const block = new RegExp(`^<([A-Za-z][A-Za-z0-9-]*)-${code}>\n([^]*?)\n</\\1-${code}>$`, 'gmu');
  return new Map([...prompt.matchAll(block)].map(([, label, text]) => [label!, text!]));
}
