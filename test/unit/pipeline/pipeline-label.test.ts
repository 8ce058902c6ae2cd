/** Labels of pipelines without a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelineLabel } from '../../../src/core/pipeline-label.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';

const BM25 = { type: 'bm25' };
const DENSE = { type: 'dense', embedder: 'minilm' };

const labels: readonly [object, string][] = [
  [{ retriever: BM25, name: 'mine' }, 'mine'],
  [{ retriever: BM25, k: 3 }, 'BM25, k = 3'],
  [{ retriever: DENSE }, 'Meaning (minilm), k = 5'],
  [{ retriever: { ...DENSE, search: 'int8' } }, 'Meaning (minilm, int8), k = 5'],
  [{ retriever: { type: 'hybrid', retrievers: [BM25, DENSE] } }, 'Words and meaning (minilm), k = 5'],
  [
    { retriever: { type: 'hybrid', retrievers: [BM25, { type: 'dense', embedder: 'hashing' }] } },
    'Hybrid (BM25 + Hashed words), k = 5',
  ],
  [{ retriever: { type: 'dense', embedder: 'hashing', search: 'int8' } }, 'Hashed words (int8), k = 5'],
  [
    { retriever: { type: 'command', command: ['node', '--quiet', 'tools/own.mjs'] } },
    'command (own.mjs), k = 5',
  ],
  [
    { retriever: { type: 'http', url: 'HTTPS://search.example:8/find?q={query}' } },
    'endpoint (search.example:8), k = 5',
  ],
  [{ retriever: { type: 'http', url: 'http://search.example?q=1' } }, 'endpoint (search.example), k = 5'],
  [{ retriever: { type: 'run', file: 'runs\\mine.trec' } }, 'run (mine.trec), k = 5'],
  [{ retriever: { type: 'run', file: 'runs/all/' } }, 'run (all), k = 5'],
  [{ retriever: { type: 'run', file: '/' } }, 'run (/), k = 5'],
  [{ retriever: BM25, expansion: { type: 'perspectives' } }, 'BM25 + expansion (given perspectives), k = 5'],
  [{ retriever: BM25, expansion: { type: 'hyde' } }, 'BM25 + HyDE, k = 5'],
  [{ retriever: BM25, expansion: { type: 'hyde', passages: 3 } }, 'BM25 + HyDE ×3, k = 5'],
  [{ retriever: BM25, expansion: { type: 'query2doc' } }, 'BM25 + query2doc, k = 5'],
  [{ retriever: BM25, expansion: { type: 'mugi' } }, 'BM25 + MuGI ×5, k = 5'],
  [{ retriever: DENSE, projection: {} }, 'Meaning (minilm) + PAP (given perspectives), k = 5'],
  [
    { retriever: DENSE, projection: { method: 'pap+', weight: 0.5, perspectives: 'model' } },
    'Meaning (minilm) + PAP+ w 0.5 (proposed perspectives), k = 5',
  ],
  [
    { retriever: DENSE, projection: { method: 'add', split: 'model' } },
    'Meaning (minilm) + add (split by the model), k = 5',
  ],
  [
    {
      retriever: BM25,
      rerank: [
        { type: 'mmr', lambda: 0.5 },
        { type: 'coverage', judge: 'gpt' },
      ],
    },
    'BM25 + MMR 0.5 + coverage (gpt), k = 5',
  ],
  [
    { retriever: BM25, rerank: [{ type: 'coverage', aim: 'alpha_nDCG' }] },
    'BM25 + coverage (labels, for α-nDCG), k = 5',
  ],
  [
    {
      retriever: BM25,
      rerank: [
        { type: 'xquad', lambda: 0.25, perspectives: 'model' },
        { type: 'pm2', perspectives: 'file', file: 'p.jsonl' },
      ],
    },
    'BM25 + xQuAD 0.25 (proposed perspectives) + PM-2 0.5 (perspectives from file), k = 5',
  ],
  [
    { retriever: BM25, rerank: [{ type: 'cross-encoder', path: 'models/tart/' }] },
    'BM25 + cross-encoder (tart), k = 5',
  ],
];
for (const [pipeline, label] of labels)
  test(label, () => assert.equal(pipelineLabel(parsePipeline(pipeline)), label));
