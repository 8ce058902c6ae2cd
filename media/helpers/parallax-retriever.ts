/**
 * Let Parallax measure your own retriever.
 *
 *   import { serve } from './parallax-retriever';
 *   serve(async (query, k) => (await store.similaritySearchWithScore(query, k))
 *     .map(([doc, score]) => ({ id: doc.id, text: doc.pageContent, score })));
 *
 * In parallax.json: {"retriever": {"type": "command", "command": ["npx", "tsx", "retrieve.ts"]}, "k": 5}
 *
 * `console.log` is sent to standard error, because standard output carries the answers.
 */
import { createInterface } from 'node:readline';

export interface Retrieved {
  id?: string;
  text?: string;
  score?: number;
}

/** Answers Parallax until its end of the pipe is closed. */
export function serve(retrieve: (query: string, k: number) => Promise<Retrieved[]> | Retrieved[]): void {
  console.log = console.error;
  const answer = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, query, k } = JSON.parse(line) as { id: string; query: string; k: number };
    Promise.resolve()
      .then(() => retrieve(query, k))
      .then(
        (results) => answer({ id, results }),
        // One query that fails must not end the others.
        (error: unknown) => answer({ id, error: String(error) }),
      );
  });
}
