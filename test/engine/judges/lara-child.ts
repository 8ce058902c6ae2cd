/** A process to be killed: a LARA judge judges the pairs of one long batch. */
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { pairsOf } from './support.ts';

const [url, path, count] = process.argv.slice(2);
const configs = {
  model: judgeSchema.parse({ type: 'openai', baseUrl: url, model: 'scripted', concurrency: 2 }),
  lara: judgeSchema.parse({ type: 'lara', judge: 'model', share: 0.1, batch: 10_000 }),
};
const judges = new Judges({ judges: configs, keys: {} }, new JudgementCache(openDatabase(path!)), undefined);
await judges.get('lara')!.judge(pairsOf(Number(count)));
