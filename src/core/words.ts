/**
 * The words that stances, verdicts and their sources are made of. They stand beside the schemas of `model.ts`, because
 * panels offer them as choices and load no schemas.
 */

export const STANCES = ['support', 'oppose'] as const;

export const STANCE_SOURCES = ['human', 'model'] as const;

export const DECIDED_VERDICTS = ['yes', 'no'] as const;

export const VERDICTS = [...DECIDED_VERDICTS, 'unsure'] as const;

/** Whose answers are kept in the tables of answers. */
export const ANSWER_SOURCES = ['human', 'debate', 'llm', 'nli', 'lexical', 'imported'] as const;

/** `agent`: a label that a program gave by itself; labels of people win over it. */
export const JUDGEMENT_SOURCES = [...ANSWER_SOURCES, 'agent'] as const;

/** Who gives labels, those that win over the others first. */
export const LABEL_KINDS = ['human', 'imported', 'agent'] as const;

/** The perspective id under which qrels without subtopics are kept. */
export const PLAIN_PERSPECTIVE = '0';
