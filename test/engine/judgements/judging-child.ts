/** A process to be killed: judges pairs, or debates them, and prints the index of each delivered one. */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { durableJudge, pairsOf, type DurableKind } from '../judges/support.ts';

const [kind, url, path, count] = process.argv.slice(2);
const judge = durableJudge(kind as DurableKind, url!, openDatabase(path!));
await judge.judge(pairsOf(Number(count)), { onJudgement: (index) => writeSync(1, `${index}\n`) });
