/** Questions about documents with titles or headings, split as in a new corpus. A passage is relevant if its document is. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { SECTIONS_SPLIT } from '../../src/core/split/spec.ts';
import { eachPassage } from '../../src/core/split/split.ts';
import { headingsAbove } from '../../src/core/text/passage-name.ts';

export interface HeadedQuestions {
  readonly name: string;
  readonly passages: readonly { readonly text: string; readonly headings: string }[];
  /** Each with the places of its relevant passages. */
  readonly questions: readonly { readonly text: string; readonly relevant: ReadonlySet<number> }[];
}

interface HeadedDocument {
  readonly id: string;
  readonly headings: string;
  readonly text: string;
}

const sectionsSchema = z.array(
  z.object({ chunk_link: z.string(), chunk_heading: z.string(), text: z.string() }),
);
const questionsSchema = z.array(z.object({ question: z.string(), correct_chunks: z.array(z.string()) }));

/**
 * 100 questions about documentation, each with the sections that answer it.
 *
 * @param files data/anthropic_docs.json and evaluation/docs_evaluation_dataset.json of
 *   skills/retrieval_augmented_generation in https://github.com/anthropics/anthropic-cookbook, separated by a comma
 */
export function documentation(files: string): HeadedQuestions {
  const [sections, questions] = files
    .split(',')
    .map((file): unknown => JSON.parse(readFileSync(file, 'utf8')));
  const documents = sectionsSchema.parse(sections).map(({ chunk_link: id, chunk_heading: section, text }) => {
    const [page] = id.split('#');
    return {
      id,
      text,
      headings: headingsAbove({ documentId: id, title: path.basename(page!).replaceAll('-', ' '), section }),
    };
  });
  return headedQuestions(
    'documentation',
    documents,
    questionsSchema
      .parse(questions)
      .map(({ question, correct_chunks: relevant }) => ({ text: question, relevant })),
  );
}

/** @param folder of https://github.com/oussbenk/cranfield-trec-dataset */
export function cranfield(folder: string): HeadedQuestions {
  const [all = '', asked = '', judged = ''] = ['cran.all.1400.xml', 'cran.qry.xml', 'cranqrel.trec.txt'].map(
    (file) => readFileSync(path.join(folder, file), 'utf8'),
  );
  const documents = all
    .split('<doc>')
    .slice(1)
    .map((doc) => ({
      id: element(doc, 'docno'),
      headings: element(doc, 'title').replaceAll(/\s+/gu, ' '),
      text: element(doc, 'text'),
    }));
  const relevant = Map.groupBy(
    judged
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/u))
      .filter(([, , , grade]) => Number(grade) > 0),
    ([question]) => question!,
  );
  const questions = asked
    .split('<top>')
    .slice(1)
    .map((top, place) => ({
      text: element(top, 'title'),
      relevant: (relevant.get(`${place + 1}`) ?? []).map(([, , id]) => id!),
    }));
  return headedQuestions(
    'Cranfield',
    documents,
    questions.filter(({ relevant: ids }) => ids.length > 0),
  );
}

function element(xml: string, name: string): string {
  return new RegExp(`<${name}>([^]*?)</${name}>`, 'u').exec(xml)?.[1]!.trim() ?? '';
}

function headedQuestions(
  name: string,
  documents: readonly HeadedDocument[],
  questions: readonly { readonly text: string; readonly relevant: readonly string[] }[],
): HeadedQuestions {
  const passages = documents.flatMap(({ id, text, headings }) =>
    [...eachPassage(text, SECTIONS_SPLIT)].map((passage) => ({ id, text: passage.text, headings })),
  );
  return {
    name,
    passages,
    questions: questions.map(({ text, relevant }) => ({
      text,
      relevant: new Set([...passages.keys()].filter((place) => relevant.includes(passages[place]!.id))),
    })),
  };
}
