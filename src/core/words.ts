/**
 * The words that stances, verdicts and their sources are made of. They stand beside the schemas of `model.ts`, because
 * panels offer them as choices and load no schemas.
 */

export const STANCES = ['support', 'oppose'] as const;

export const STANCE_SOURCES = ['human', 'model'] as const;

export const DECIDED_VERDICTS = ['yes', 'no'] as const;

export const VERDICTS = [...DECIDED_VERDICTS, 'unsure'] as const;

/** From the most to the least trusted within the product. */
export const JUDGEMENT_SOURCES = ['human', 'debate', 'llm', 'nli', 'lexical', 'imported'] as const;

/** The perspective id under which qrels without subtopics are kept. */
export const PLAIN_PERSPECTIVE = '0';
