// A reporter for node:test: one line of JSON for each test case, so that scripts/test.mjs can count
// them exactly, over several runs and also when a run does not come to its end; and one for each file, with its time.

export default async function* cases(events) {
  for await (const { type, data } of events) {
    if (type === 'test:summary' && data.file !== undefined)
      yield `${JSON.stringify({ file: data.file, ms: data.duration_ms, isFile: true })}\n`;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (isOnlyContainer(data)) continue;
    const { name, file, details } = data;
    yield `${JSON.stringify({ name, file, ms: details?.duration_ms ?? 0, ...outcome(type, data) })}\n`;
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
