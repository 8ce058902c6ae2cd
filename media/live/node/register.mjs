// `node --import` loads this before the program. It reads which calls of which files are observed, and touches nothing else.
import { readFileSync } from 'node:fs';
import * as module from 'node:module';
import { Connection } from './connection.mjs';
import { Instrument } from './instrument.mjs';
import { Observer } from './observe.mjs';

const plan = readPlan(process.env.PARALLAX_LIVE);
if (plan) begin(plan);

function readPlan(path) {
  if (!path) return undefined;
  try {
    const read = JSON.parse(readFileSync(path, 'utf8'));
    return read.protocol === 1 && Object.keys(read.files).length > 0 ? read : undefined;
  } catch {
    // The run is over, and its folder is gone.
    return undefined;
  }
}

function begin(plan) {
  let isFollowing = false;
  const connection = new Connection(
    plan,
    (message) => observer.take(message),
    () => observer.last(),
  );
  const observer = new Observer(plan, connection);
  Object.defineProperty(globalThis, '__parallaxLive', { value: observer.face, configurable: true });
  const instrument = new Instrument(plan.files, {
    report: (message) => {
      if (!isFollowing) observer.followRequests();
      isFollowing = true;
      connection.tell(message);
    },
    known: (id, call, file) => observer.add(id, wanted(call), file),
  });
  hookCommonJs(instrument);
  if (typeof module.registerHooks === 'function') hookHere(instrument);
}

function wanted(planned) {
  const { site, returns, methods = [], awaited = false } = planned;
  return { planned, site, returns, methods, awaited };
}

function hookHere(instrument) {
  module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const file = instrument.fileOf(url);
      // CommonJS is compiled below.
      if (file === undefined || !/^module/u.test(loaded.format ?? '') || loaded.source == null) return loaded;
      return { ...loaded, source: instrument.text(file, textOf(loaded.source)) };
    },
  });
}

function hookCommonJs(instrument) {
  const { prototype } = module.Module;
  const compile = prototype._compile;
  prototype._compile = function _compile(content, filename, ...rest) {
    const file = typeof content === 'string' ? instrument.fileOf(filename) : undefined;
    return compile.call(
      this,
      file === undefined ? content : instrument.text(file, content),
      filename,
      ...rest,
    );
  };
}

function textOf(source) {
  return typeof source === 'string' ? source : Buffer.from(source).toString('utf8');
}
