// A reporter for node:test: one line of JSON for each test case, so that scripts/test.mjs can count
// them exactly, over several runs and also when a run does not come to its end. A suite has a line, too, if it is in no
// other one: its time is that of its tests.

export default async function* cases(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, details, nesting } = data;
    const timed = { file, ms: details?.duration_ms ?? 0, isOutermost: nesting === 0 };
    if (!isOnlyContainer(data)) yield line({ name, ...timed, ...outcome(type, data) });
    else if (timed.isOutermost) yield line(timed);
  }
}

const line = (value) => `${JSON.stringify(value)}\n`;

function outcome(type, { skip, todo }) {
  if (skip !== undefined) return { outcome: 'skipped', reason: String(skip) };
  if (todo !== undefined) return { outcome: 'skipped', reason: `to do: ${todo}` };
  return { outcome: type === 'test:pass' ? 'passed' : 'failed' };
}

/** A suite speaks through its tests; on its own it counts only when it was skipped or could not run. */
function isOnlyContainer({ details, skip }) {
  if (details?.type !== 'suite' || skip !== undefined) return false;
  return !details.error || details.error.failureType === 'subtestsFailed';
}
