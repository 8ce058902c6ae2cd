/** `parallax explain`: why a document is, or is not, among the passages that a pipeline returns. */
import type { Explanation } from '../../core/explain/explanation.ts';
import { armText, causeText, changeText, termText } from '../../core/explain/wording.ts';
import { openCorpus, updateIndex, corpusNamed, corpusNames } from '../local-corpus.ts';
import { readPipeline } from '../options/pipeline-option.ts';
import { folderOfConfig, readConfig } from '../options/read-config.ts';
import { oneLine } from '../presentation/printable.ts';
import { progressLine } from '../presentation/progress.ts';
import { required, UsageError, writeJson } from '../presentation/terminal.ts';
import { command } from './command.ts';

export const explainCommand = command({
  usage:
    'parallax explain --query "…" --document <path|id|title|text> [--corpus <file|folder>] [--pipeline <json|name>] [--k 5] [--json <file|->]',
  options: {
    query: { type: 'string', help: 'the question' },
    document: {
      type: 'string',
      help: 'what is missing: the path, id or title of a document, or a text that it contains',
    },
    corpus: {
      type: 'string',
      help: 'a folder or file, or the name of a corpus of parallax.json (default: its first)',
    },
    store: { type: 'string', help: 'the folder in which the index is kept' },
    pipeline: {
      type: 'string',
      help: 'a pipeline as JSON, or its name (default: bm25)',
    },
    k: { type: 'string', help: "how many passages are returned (default: the pipeline's k)" },
    'no-changes': { type: 'boolean', default: false, help: 'do not look for a change that brings it in' },
    json: { type: 'string', help: 'write the explanation as JSON' },
    config: { type: 'string', help: 'parallax.json (default: the one in this folder, if any)' },
  },

  async run({ values }, io) {
    const text = required(values.query, 'query');
    const document = required(values.document, 'document');
    const config = await readConfig(values.config);
    const name = values.corpus ?? corpusNames(config)[0];
    if (name === undefined) throw new UsageError('--corpus is missing: a folder or file with documents.');
    const { pipeline } = readPipeline(values.pipeline ?? 'bm25', config);
    const k = values.k === undefined ? pipeline.k : Number(values.k);
    if (!Number.isInteger(k) || k < 1)
      throw new UsageError(`--k is a whole number from 1, not "${values.k}".`);
    const source = corpusNamed(name, config, folderOfConfig(values.config));
    await using opened = await openCorpus(source, values.store, config, io);
    await updateIndex(opened, io);
    const explanation = await opened.engine.request(
      'explain',
      {
        corpus: opened.corpus,
        query: { text },
        perspectives: [],
        pipeline: { ...pipeline, k },
        document,
        tryChanges: !values['no-changes'],
      },
      { onProgress: progressLine(io, 'Explaining') },
    );
    if (values.json !== undefined)
      await writeJson(values.json, { query: text, document, ...explanation }, io);
    else io.stdout(explanationText(explanation));
    return 0;
  },
});

function explanationText(explanation: Explanation): string {
  const { passage, parts = [], documents = [], arms, terms, lengths, change } = explanation;
  const lines = [
    ...(passage ? [oneLine(`${passage.name}  (${passage.id})`)] : []),
    causeText(explanation),
    ...(documents.length > 1
      ? [`The text is in ${documents.length} documents: ${oneLine(documents.join(', '))}`]
      : []),
    ...parts.map((part) => oneLine(`  ${part.id}: ${part.text}`)),
    ...arms.map((arm) => `  ${oneLine(armText(arm))}`),
    ...terms.map((term) => `    ${oneLine(termText(term))}`),
    ...(lengths
      ? [`    The passage has ${lengths.passage} terms; the mean is ${lengths.mean.toFixed(0)}.`]
      : []),
    ...[changeText(explanation)].filter((line) => line !== ''),
    ...(change ? [`  --pipeline '${JSON.stringify(change.pipeline)}'`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
