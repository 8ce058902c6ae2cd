/** `parallax judge calibrate` in this process: real files and a real, tiny model. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { judgeCommand } from '../../../src/cli/commands/judging/judge-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { calibrationReportSchema, type CalibrationReport } from '../../../src/shared/calibration.ts';
import { validationReportSchema } from '../../../src/features/validation/core/report.ts';
import { writeTinyNli } from '../../fixtures/tiny-encoder/make.ts';
import '../../fixtures/built.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const PASSAGES = ['ban the car', 'help the city', 'vaccine safe', 'the cafe', 'unsafe cars', 'and because'];
const PERSPECTIVES = ['Ban cars.', 'Vaccines help.'];

interface Workspace {
  readonly place: (name: string) => string;
  readonly labels: string;
  readonly config: string;
}

/** Labels that do not depend on the model, whose weights are random. Both classes for each perspective. */
async function workspace(t: TestContext): Promise<Workspace> {
  const folder = temporaryFolder(t);
  const place = (name: string): string => join(folder, name);
  await writeTinyNli(place('model'));
  const nli = { type: 'nli', path: 'model', maxTokens: 64 };
  const judges = {
    nli,
    calibrated: { ...nli, calibration: 'calibration.json' },
    lexical2: { type: 'lexical' },
  };
  await writeFile(place('parallax.json'), JSON.stringify({ judges }));
  const pairs = PASSAGES.flatMap((document) =>
    PERSPECTIVES.map((perspective) => ({ document, perspective })),
  );
  const lines = pairs.map((pair, i) => JSON.stringify({ ...pair, label: Math.floor(i / 3) % 2 }));
  await writeFile(place('labels.jsonl'), lines.join('\n'));
  return { place, labels: place('labels.jsonl'), config: place('parallax.json') };
}

async function run(...argv: string[]): Promise<{ code: number; stdout: string }> {
  let stdout = '';
  const io = { stdout: (text: string) => void (stdout += text), stderr: () => undefined };
  return { code: await judgeCommand(argv, io), stdout };
}

async function report(...argv: string[]): Promise<CalibrationReport> {
  const { stdout } = await run('calibrate', ...argv, '--json', '-');
  return calibrationReportSchema.parse(JSON.parse(stdout));
}

test('a threshold is chosen, written, and then used by the judge that names the file', async (t) => {
  const { place, labels, config } = await workspace(t);
  // The command is about to write the file that the judge names.
  const argv = ['--labels', labels, '--judge', 'calibrated', '--config', config];
  const { code, stdout } = await run('calibrate', ...argv, '--json', place('calibration.json'));
  assert.equal(code, 0);
  assert.match(
    stdout,
    /"threshold": 0\.\d+ for the judge calibrated, chosen for balanced-accuracy on 6 pairs with "yes" and 6 with "no"\./,
  );
  assert.match(stdout, /on these pairs \(flattering\)/);
  assert.match(stdout, /on perspectives held out/);
  const written = calibrationReportSchema.parse(
    JSON.parse(await readFile(place('calibration.json'), 'utf8')),
  );

  const validated = await run(
    'validate',
    '--labels',
    labels,
    '--judge',
    'calibrated',
    '--config',
    config,
    '--json',
    '-',
  );
  const [judge] = validationReportSchema.parse(JSON.parse(validated.stdout)).judges;
  assert.equal(judge!.balancedAccuracy, written.figures.balancedAccuracy);
  assert.equal(judge!.kappa, written.figures.kappa);
});

test('the objective can be chosen, and both kinds of judge names work', async (t) => {
  const { place, labels, config } = await workspace(t);
  const named = await report('--labels', labels, '--judge', 'nli', '--config', config);
  const json = JSON.stringify({ type: 'nli', path: place('model'), maxTokens: 64 });
  const given = await report('--labels', labels, '--judge', json);
  assert.deepEqual({ ...given, judge: 'nli' }, named);
  const f1 = await report('--labels', labels, '--judge', 'nli', '--config', config, '--objective', 'f1');
  assert.equal(f1.objective, 'f1');
  assert.ok(f1.figures.f1! >= named.figures.f1!);
  assert.ok(named.figures.balancedAccuracy! >= f1.figures.balancedAccuracy!);
  assert.ok(named.figures.balancedAccuracy! >= 0.5 && named.heldOut);
});

test('judges that cannot be calibrated are reported', async (t) => {
  const { place, labels, config } = await workspace(t);
  const calibrate = (...argv: string[]) => run('calibrate', ...argv, '--config', config);
  await assert.rejects(
    calibrate('--labels', labels, '--judge', 'lexical2'),
    (error) => error instanceof UsageError && /"lexical2" has no threshold/.test(error.message),
  );
  await assert.rejects(calibrate('--labels', labels), /--judge is missing/);
  await assert.rejects(
    calibrate('--labels', labels, '--judge', 'nli', '--objective', 'accuracy'),
    /--objective is balanced-accuracy or f1, not "accuracy"/,
  );
  const one = place('one.jsonl');
  await writeFile(one, JSON.stringify({ document: 'ban', perspective: 'Ban cars.', label: 1 }));
  await assert.rejects(
    calibrate('--labels', one, '--judge', 'nli'),
    (error) => ParallaxError.is(error, 'bad-argument') && /1 with "yes" and 0 with "no"/.test(error.message),
  );
  await rm(place('model/config.json'));
  await assert.rejects(
    calibrate('--labels', labels, '--judge', 'nli'),
    (error) => ParallaxError.is(error, 'bad-file') && /set "entailment"/.test(error.message),
  );
});
