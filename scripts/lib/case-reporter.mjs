// A reporter for node:test: one line of JSON for each test case, so that scripts/test.mjs can count them exactly, over
// several runs and even if a run is aborted. A top-level suite also has a line, with the time of its tests.

export default async function* cases(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, details, nesting } = data;
    const timed = { file, ms: details?.duration_ms ?? 0, isOutermost: nesting === 0 };
    if (!isOnlyContainer(data)) yield line({ name, ...timed, ...outcome(type, data) });
    else if (timed.isOutermost) yield line(timed);
  }
}

/** The longest reason, in characters. */
const REASON = 200;

const line = (value) => `${JSON.stringify(value)}\n`;

function outcome(type, { skip, todo, details }) {
  if (skip !== undefined) return { outcome: 'skipped', reason: String(skip) };
  if (todo !== undefined) return { outcome: 'skipped', reason: `to do: ${todo}` };
  if (type === 'test:pass') return { outcome: 'passed' };
  return { outcome: 'failed', ...reasonOf(details?.error) };
}

/** The first line of the error. Empty for a test that failed because of its subtests. */
function reasonOf(error) {
  if (!error || error.failureType === 'subtestsFailed') return {};
  const [first] = String(error.cause?.message ?? error.message).split('\n');
  return { reason: first.slice(0, REASON) };
}

/** A suite is represented by its tests; it counts only if it was skipped or could not run. */
function isOnlyContainer({ details, skip }) {
  if (details?.type !== 'suite' || skip !== undefined) return false;
  return !details.error || details.error.failureType === 'subtestsFailed';
}
