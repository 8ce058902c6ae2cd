/** Indexes a corpus with segments of few passages, until it is done or killed: `update-child.ts <folder> <store>`. */
import { IN_THREADS, openIndex } from './support.ts';

const [folder = '', store = ''] = process.argv.slice(2);
const index = await openIndex(folder, store, IN_THREADS, 500);
process.stdout.write('open\n');
await index.update({});
await index.close();
