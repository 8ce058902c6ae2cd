/** Tools that retrieve and answer in a form of their own, as parallax.json names them. */
import * as z from 'zod';

const path = z.string();

export const toolsSchema = z.record(
  z.string().min(1),
  z.strictObject({
    query: path
      .optional()
      .describe('Where in the arguments the question stands; found by the usual names when left out.'),
    results: path.default('').describe('Where in the answer the list of passages stands, such as data.hits.'),
    id: path.default('id').describe('Where in a passage its id stands.'),
    text: path.default('text').describe('Where in a passage its text stands.'),
    score: path.default('score').describe('Where in a passage its score stands.'),
  }),
);
