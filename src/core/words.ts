/**
 * The values of stances, verdicts and their sources. Not in `model.ts`, as panels offer them as choices without loading
 * schemas.
 */

export const STANCES = ['support', 'oppose'] as const;

export const STANCE_SOURCES = ['human', 'model'] as const;

export const DECIDED_VERDICTS = ['yes', 'no'] as const;

export const VERDICTS = [...DECIDED_VERDICTS, 'unsure'] as const;

/** Sources whose answers are stored in the tables of answers. */
export const ANSWER_SOURCES = ['human', 'debate', 'llm', 'nli', 'lexical', 'imported'] as const;

/** `agent`: a label given by a program on its own. People's labels take precedence over it. */
export const JUDGEMENT_SOURCES = [...ANSWER_SOURCES, 'agent'] as const;

/** Who gives labels, by precedence. */
export const LABEL_KINDS = ['human', 'imported', 'agent'] as const;

/** The perspective id of qrels without subtopics. */
export const PLAIN_PERSPECTIVE = '0';
