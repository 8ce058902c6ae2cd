// Loaded by `node --import` before the program. Reads the plan of observed calls, and changes nothing else.
import { readFileSync } from 'node:fs';
import * as module from 'node:module';
import { dirname } from 'node:path';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { Connection, isOwn } from './connection.mjs';
import { Crash } from './crash.mjs';
import { Instrument } from './instrument.mjs';
import { Observer } from './observe.mjs';

// A command line within the terminal of an editor adds its own copy of this file.
const plan = globalThis.__parallaxLive ? undefined : readPlan(process.env.PARALLAX_LIVE);
if (plan) begin(plan);

function readPlan(path) {
  if (!path) return undefined;
  try {
    if (!isOwn(dirname(path))) return undefined;
    const read = JSON.parse(readFileSync(path, 'utf8'));
    return read.protocol === 1 && Object.keys(read.files).length > 0 ? read : undefined;
  } catch {
    // The run is over and its folder was removed.
    return undefined;
  }
}

function begin(plan) {
  let isFollowing = false;
  const crash = new Crash(() => observer.beforeUnknown?.());
  const connection = new Connection(
    plan,
    (message) => observer.take(message),
    () => observer.last(),
  );
  const observer = new Observer(plan, connection);
  Object.defineProperty(globalThis, '__parallaxLive', { value: observer.face, configurable: true });
  const listener = {
    report: (message) => {
      if (!isFollowing) observer.followRequests();
      isFollowing = true;
      connection.tell(message);
    },
    known: (id, call, file) => observer.add(id, wanted(call), file),
    wrote: (script, lines) => crash.add(script, lines),
  };
  const instrument = new Instrument(plan.files, listener);
  hookCommonJs(instrument);
  if (typeof module.registerHooks === 'function') hookHere(instrument);
  else hookThread(plan, listener, observer);
}

function wanted(planned) {
  const { site, returns, methods = [], awaited = false } = planned;
  return { planned, site, returns, methods, awaited };
}

function hookHere(instrument) {
  module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      // CommonJS is compiled below.
      if (!/^module/u.test(loaded.format ?? '') || loaded.source == null || !url.startsWith('file:'))
        return loaded;
      const text = textOf(loaded.source);
      return instrument.mayHold(url, text) ? { ...loaded, source: instrument.text(url, text) } : loaded;
    },
  });
}

function hookThread(plan, { report, known, wrote }, observer) {
  const { port1, port2 } = new MessageChannel();
  const take = (told) => {
    if (told.known) known(...told.known);
    else if (told.wrote) wrote(...told.wrote);
    else report(told.message);
  };
  port1.on('message', take).unref();
  // A call may run before the event loop handles the message about it.
  observer.beforeUnknown = () => {
    for (let told = receiveMessageOnPort(port1); told; told = receiveMessageOnPort(port1)) take(told.message);
  };
  module.register('./loader.mjs', import.meta.url, {
    data: { files: plan.files, port: port2 },
    transferList: [port2],
  });
}

function hookCommonJs(instrument) {
  const { prototype } = module.Module;
  const compile = prototype._compile;
  prototype._compile = function _compile(content, filename, ...rest) {
    const isWanted = typeof content === 'string' && instrument.mayHold(filename, content);
    return compile.call(this, isWanted ? instrument.text(filename, content) : content, filename, ...rest);
  };
}

function textOf(source) {
  return typeof source === 'string' ? source : Buffer.from(source).toString('utf8');
}
