// A reporter for node:test: one line of JSON for each test case, so that scripts/test.mjs can count
// them exactly, over several runs and also when a run does not come to its end.

export default async function* cases(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (isOnlyContainer(data)) continue;
    yield `${JSON.stringify({ name: data.name, file: data.file, ...outcome(type, data) })}\n`;
  }
}

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
