/** A corpus of short texts with the real services over a scripted model, for tests of pipelines' requests to models. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { CorpusIndex } from '../../../src/engine/corpora/corpus-index.ts';
import { Embedders } from '../../../src/engine/embedders/embedders.ts';
import { ExternalRetrievers } from '../../../src/engine/external/external-retrievers.ts';
import { GenerationCache } from '../../../src/engine/generation/generation-cache.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { JudgementService } from '../../../src/engine/judgements/judgement-service.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { LabelsFile } from '../../../src/engine/judgements/labels-file.ts';
import { ValidationsFile } from '../../../src/engine/judgements/validations-file.ts';
import { CrossEncoders } from '../../../src/engine/rerankers/cross-encoders.ts';
import { EngineServices } from '../../../src/engine/retrieval/engine-services.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { corpusSchema } from '../../../src/shared/config.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { startModelServer, type ModelServer, type ModelServerScript } from '../../fixtures/model-server.ts';

export interface Bench {
  readonly corpus: CorpusIndex;
  readonly services: EngineServices;
  readonly server: ModelServer;
}

/** @param texts one passage each, with the ids `0`, `1`, … */
export async function openBench(
  t: TestContext,
  texts: readonly string[],
  chat: NonNullable<ModelServerScript['chat']>,
): Promise<Bench> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-retrieval-'));
  const server = await startModelServer({ chat });
  writeFileSync(
    path.join(folder, 'corpus.jsonl'),
    texts.map((text, id) => `${JSON.stringify({ _id: String(id), text })}\n`).join(''),
  );
  const embedders = new Embedders({ embedders: {}, keys: {}, base: folder });
  const corpus = await CorpusIndex.open(
    {
      name: 'bench',
      base: folder,
      config: corpusSchema.parse({ roots: ['corpus.jsonl'], split: { type: 'none' } }),
      excludeGlobs: [],
      store: path.join(folder, 'store'),
    },
    {
      embedder: (name) => embedders.get(name),
      crossEncoders: new CrossEncoders({ base: folder, trusted: false }),
      externals: new ExternalRetrievers({ base: folder, trusted: true, keys: {} }, (name) =>
        embedders.get(name),
      ),
      approximateAbove: Number.POSITIVE_INFINITY,
      log: () => undefined,
    },
  );
  await corpus.update({});
  const database = openDatabase(':memory:');
  const cache = new JudgementCache(database);
  const judges = {
    local: judgeSchema.parse({
      type: 'openai',
      mode: 'pair',
      baseUrl: server.url,
      model: 'scripted',
      maxRetries: 0,
    }),
  };
  const services = new EngineServices({
    validations: new ValidationsFile(undefined),
    judges: new Judges({ judges, keys: {} }, cache, undefined),
    judgementService: new JudgementService(new LabelsFile(undefined, () => undefined), cache),
    generations: new GenerationCache(database),
    generator: 'local',
    base: folder,
    index: corpus,
  });
  t.after(async () => {
    await corpus.close();
    database.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { corpus, services, server };
}
