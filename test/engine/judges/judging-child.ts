/** A process to be killed: judges pairs and prints the index of each one that was delivered. */
import { writeSync } from 'node:fs';
import { createCachedJudge } from '../../../src/engine/judges/cached-judge.ts';
import { JudgementCache } from '../../../src/engine/judges/judgement-cache.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { judgeOn, pairsOf } from './support.ts';

const [url, path, count] = process.argv.slice(2);
const judge = createCachedJudge(judgeOn(url!), new JudgementCache(openDatabase(path!)));
await judge.judge(pairsOf(Number(count)), { onJudgement: (index) => writeSync(1, `${index}\n`) });
