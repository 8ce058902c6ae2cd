// For Node before 22.15, which loads modules in a separate thread; calls wrapped there are reported to the program's
// thread.
import { Instrument } from './instrument.mjs';

let instrument;
let port;

/** @param data with the files of the plan, and the port to the program */
export function initialize(data) {
  port = data.port;
  port.unref();
  instrument = new Instrument(data.files, {
    report: (message) => port.postMessage({ message }),
    known: (id, call, file) => port.postMessage({ known: [id, call, file] }),
    wrote: (script, lines) => port.postMessage({ wrote: [script, lines] }),
  });
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!/^module/u.test(loaded.format ?? '') || loaded.source == null || !url.startsWith('file:'))
    return loaded;
  const text =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source).toString('utf8');
  return instrument.mayHold(url, text) ? { ...loaded, source: instrument.text(url, text) } : loaded;
}
