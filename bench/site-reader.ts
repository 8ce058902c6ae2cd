/**
 * The reader of arguments compared with an interpreter: programs of indirections whose meaning is known by running
 * them. No stated value may differ from the one that a call runs with.
 *
 *   npm run bench -- site-reader [--programs 100000] [--from 1]
 */
import { parseArgs } from 'node:util';
import { checkReader } from '../test/unit/sites/reader-check.ts';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '100000' },
    from: { type: 'string', default: '1' },
  },
});
const LANGUAGES = ['python', 'typescript'] as const;
const each = Math.ceil(Number(values.programs) / LANGUAGES.length);

for (const language of LANGUAGES) {
  const { programs, calls, stated, missed, wrong } = await checkReader(language, Number(values.from), each);
  process.stdout.write(
    `${language}: ${programs} programs, ${calls} calls that ran, k stated for ${stated} of them, wrongly for ${wrong.length}; ${missed} programs in which not every call was found.\n`,
  );
  const [shortest] = wrong.toSorted((a, b) => a.text.length - b.text.length);
  if (shortest) {
    const { seed, call, stated: value, ran, text } = shortest;
    process.stdout.write(
      `\nSeed ${seed}, call ${call}: ${value} is stated, ${ran.join(', ')} ran.\n\n${text}\n`,
    );
    process.exitCode = 1;
  }
}
