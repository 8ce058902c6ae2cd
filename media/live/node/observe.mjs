// Runs around a wrapped call: the program gets its unchanged result, and Parallax a copy.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { types } from 'node:util';
import { threadId } from 'node:worker_threads';
import { passed } from './crash.mjs';
import { copies, isTable, snapshot } from './values.mjs';

const PER_SECOND = 20;
const MAX_KEPT = 3;
const MAX_OF_QUESTION = 200;
/** The most generators that the program has not finished. */
const MAX_OPEN = 100;
const QUESTION_NAMES = ['query', 'question', 'queryStr', 'query_str', 'input', 'message', 'text', 'q'];
/** Methods that return the passages of a call's result: a cursor, a statement, a query that has not been sent yet. */
const TERMINALS = [
  'then',
  'toArray',
  'toArrow',
  'toList',
  'all',
  'execute',
  'exec',
  'iterate',
  'json',
  'fetchAll',
  'getMany',
  'getRawMany',
  'next',
];
const QUESTION_LIKE = /^(?:.*_?)?(?:query|question|q|text|prompt|message|input|term|search)\w*$/iu;

/** The names of a retriever's own k in its class. */
const KS = ['k', 'topK', 'similarityTopK', 'similarity_top_k'];

export class Observer {
  #plan;
  #connection;
  #calls = new Map();
  #sites = new Map();
  #replays = new Map();
  #underWay = new Map();
  /** For each generator that the program has not finished, what tells the passages taken so far. */
  #unfinished = new Set();
  #context = new AsyncLocalStorage();
  #last = 0;
  #isMeasuring = false;
  /** Receives pending information about calls that were wrapped elsewhere. */
  beforeUnknown;

  constructor(plan, connection) {
    this.#plan = plan;
    this.#connection = connection;
  }

  add(id, call, file) {
    this.#calls.set(id, { ...call, file });
  }

  /** Numbers each request that the program serves, so that its retrievals are shown together. */
  followRequests() {
    let requests = 0;
    subscribe('http.server.request.start', () => {
      this.#context.enterWith({ request: `${process.pid}.${threadId}-r${++requests}` });
    });
  }

  /** The functions that wrapped code calls. */
  get face() {
    return {
      call: (id, run, units) => this.call(id, run, units),
      suspended: (id, run, units) => this.suspended(id, run, units),
      valueOf: (box) => box.value,
    };
  }

  call(id, run, units) {
    const state = this.#begin(id, run, units);
    if (!state) return run(IDLE);
    let value;
    try {
      value = run(state);
    } catch (error) {
      this.#failed(state, error);
      throw passed(error); /*node-do-not-add-exception-line*/
    }
    return this.#returned(state, value);
  }

  async suspended(id, run, units) {
    const state = this.#begin(id, async (given) => (await run(given)).value, units);
    if (!state) return run(IDLE);
    let box;
    try {
      box = await run(state);
    } catch (error) {
      this.#failed(state, error);
      throw error;
    }
    return { value: this.#returned(state, box.value) };
  }

  #begin(id, run, units) {
    if (!this.#calls.has(id)) this.beforeUnknown?.();
    const call = this.#calls.get(id);
    if (!call || this.#connection.isOver) return undefined;
    const within = this.#context.getStore();
    // While a function is asked again, its own retrievals are the answer, and those of other sites are ignored.
    if (within?.ask && within.ask.site !== call.site) return undefined;
    try {
      const state = new State(call, { run, units: new Units(units), within });
      if (within?.ask?.k !== undefined) state.askForMore(within.ask.k);
      return state;
    } catch {
      return undefined;
    }
  }

  #returned(state, value) {
    try {
      return this.#observed(state, value);
    } catch {
      return value;
    }
  }

  #observed(state, value) {
    if (state.call.returns === 'retriever') return this.#retriever(state, value);
    if (isNativePromise(value)) return this.#promise(state, value);
    if (this.#intercept(state, value)) return value;
    return this.#measuredInPlace(state, value) ?? this.#came(state, value);
  }

  // A promise that is awaited at once is handled, so observing it is safe. Any other is observed only once the program
  // handles it; otherwise an unhandled rejection would no longer end the program.
  #promise(state, promise) {
    if (this.#measures(state)) return promise.then((value) => this.#measureThen(state, value));
    const listen = () => {
      promise.then(
        (value) => this.#settled(state, value),
        (error) => this.#failed(state, error),
      );
    };
    if (state.call.awaited) listen();
    else whenTouched(promise, listen);
    return promise;
  }

  #settled(state, value) {
    try {
      if (state.call.returns === 'retriever') this.#retriever(state, value);
      else if (!this.#intercept(state, value)) this.#came(state, value);
    } catch {
      // Failures here must not affect the program.
    }
  }

  /** @returns whether one of its methods returns the passages later */
  #intercept(state, value) {
    if (!isOpen(value)) return false;
    if (types.isGeneratorObject(value)) return this.#followGenerator(state, value);
    const names = TERMINALS.filter((name) => typeof value[name] === 'function');
    const iterates = typeof value[Symbol.asyncIterator] === 'function';
    if (names.length === 0 && !iterates) return false;
    for (const name of names) if (name !== 'next' || !iterates) this.#interceptMethod(state, value, name);
    if (iterates) this.#interceptIterator(state, value);
    return true;
  }

  #interceptMethod(state, object, name) {
    const observer = this;
    const own = object[name];
    define(object, name, function (...given) {
      // Drizzle's `then` calls its own `execute`.
      if (state.isTaken) return own.apply(this, given);
      if (name === 'then') return observer.#thenable(state, this, own, given);
      const next = state.again(name, own, this, given);
      let result;
      try {
        result = state.taking(() => own.apply(this, given));
      } catch (error) {
        observer.#failed(next, error);
        throw passed(error); /*node-do-not-add-exception-line*/
      }
      return observer.#returned(next, result);
    });
  }

  #thenable(state, object, own, [fulfilled, rejected]) {
    const hand = (value) => (typeof fulfilled === 'function' ? fulfilled(value) : value);
    const seen = (value) => {
      if (this.#measures(state)) return this.#measureThen(state, value).then(hand);
      this.#settled(state, value);
      return hand(value);
    };
    const failed = (error) => {
      this.#failed(state, error);
      if (typeof rejected === 'function') return rejected(error);
      throw error;
    };
    return state.taking(() => own.call(object, seen, failed));
  }

  #interceptIterator(state, object) {
    const observer = this;
    const own = object[Symbol.asyncIterator];
    define(object, Symbol.asyncIterator, function () {
      const iterator = own.call(this);
      observer.#followLater(iterator, state);
      return iterator;
    });
  }

  #followGenerator(state, generator) {
    if (typeof generator[Symbol.asyncIterator] === 'function') this.#followLater(generator, state);
    else this.#followNow(generator, state);
    return true;
  }

  #followNow(iterator, state) {
    const taken = this.#takenFrom(
      state,
      (all) => this.#measuredInPlace(state, all) ?? this.#came(state, all),
    );
    const { next, return: leave } = iterator;
    define(iterator, 'next', function (value, ...more) {
      let step;
      try {
        step = next.call(this, value, ...more);
      } catch (error) {
        taken.failed(error);
        throw passed(error); /*node-do-not-add-exception-line*/
      }
      taken.add(step);
      return step;
    });
    define(iterator, 'return', function (value, ...more) {
      taken.leave();
      return leave.call(this, value, ...more);
    });
  }

  #followLater(iterator, state) {
    const taken = this.#takenFrom(state, (all) => this.#measureThen(state, all).catch(() => undefined));
    const { next, return: leave } = iterator;
    define(iterator, 'next', async function (value, ...more) {
      let step;
      try {
        step = await next.call(this, value, ...more);
      } catch (error) {
        taken.failed(error);
        throw error;
      }
      const end = taken.add(step);
      if (end) await end;
      return step;
    });
    if (typeof leave === 'function')
      define(iterator, 'return', async function (value, ...more) {
        await taken.leave();
        return leave.call(this, value, ...more);
      });
  }

  /** What the program takes one by one is told at its end, when it is enough, or when the program exits. */
  #takenFrom(state, tell) {
    const taken = [];
    const end = (left) => {
      this.#unfinished.delete(end);
      if (state.isTold) return undefined;
      state.left = left;
      try {
        return tell(taken);
      } catch {
        return undefined;
      }
    };
    const add = ({ done, value }) => {
      if (done) return end();
      if (taken.length === MAX_OF_QUESTION || state.isTold) return undefined;
      if (taken.push(snapshot(value)) === MAX_OF_QUESTION) return end();
      this.#unfinished.add(end);
      if (this.#unfinished.size > MAX_OPEN) this.#unfinished.values().next().value();
      return undefined;
    };
    const failed = (error) => {
      this.#unfinished.delete(end);
      this.#failed(state, error);
    };
    return { add, leave: () => end(taken.length), failed };
  }

  /** The methods of a retriever are observed, wherever it is passed to. */
  #retriever(state, value) {
    if (isNativePromise(value)) {
      if (state.call.awaited)
        value.then(
          (made) => this.#settled(state, made),
          () => undefined,
        );
      else
        whenTouched(value, () =>
          value.then(
            (made) => this.#settled(state, made),
            () => undefined,
          ),
        );
      return value;
    }
    if (typeof value !== 'object' || value === null || observed.has(value)) return value;
    observed.add(value);
    for (const name of state.call.methods)
      if (typeof value[name] === 'function') this.#run(state, value, name);
    return value;
  }

  #run(state, retriever, name) {
    const observer = this;
    const own = retriever[name];
    define(retriever, name, function (...given) {
      const question = textIn(given[0]);
      const within = observer.#context.getStore();
      const isNested = within?.running === retriever || observer.#connection.isOver;
      const isOther = within?.ask && within.ask.site !== state.call.site;
      if (question === undefined || isNested || isOther) return own.apply(this, given);
      const run = (asked) => {
        const put = () => own.apply(this, asked.withQuestion(given));
        return observer.#context.run({ ...within, running: retriever }, () =>
          withK(retriever, asked.given.k, put),
        );
      };
      const next = new State(
        { ...state.call, returns: 'passages', awaited: false },
        { run, units: NO_UNITS, within },
      );
      next.asked = question;
      next.found = KS.map((key) => retriever[key]).find((k) => typeof k === 'number');
      let result;
      try {
        result = observer.#context.run({ ...within, running: retriever }, () => own.apply(this, given));
      } catch (error) {
        observer.#failed(next, error);
        throw passed(error); /*node-do-not-add-exception-line*/
      }
      return observer.#returned(next, result);
    });
  }

  #came(state, value) {
    // `none?.search(question)` calls nothing.
    if (state.isTold || (value === undefined && state.asked === undefined && state.call.planned.question?.at))
      return value;
    state.isTold = true;
    const within = state.within?.ask;
    if (within) {
      within.answer(state, value);
      return value;
    }
    const site = this.#siteOf(state.call.site);
    if (!site.takes(this.#connection.isFull)) return value;
    const id = `${process.pid}.${threadId}-${++this.#last}`;
    this.#keep(site, id, state);
    const [now, dropped] = [performance.now(), site.dropped()];
    // Only a copy of the passages is made at once, because the program may change them next.
    const copied = copies(value);
    this.#connection.tellLater(() => ({
      type: 'retrieval',
      id,
      site: state.call.site,
      startedAt: state.startedAt,
      durationMs: now - state.began,
      ...(state.within?.request === undefined ? {} : { request: state.within.request }),
      question: snapshot(state.asked, MAX_OF_QUESTION) ?? null,
      k: snapshot(state.found, MAX_OF_QUESTION) ?? null,
      result: snapshot(copied) ?? null,
      units: state.told,
      dropped,
    }));
    return value;
  }

  #failed(state, error) {
    if (state.isTold) return;
    state.isTold = true;
    const within = state.within?.ask;
    if (within) {
      within.fail(error);
      return;
    }
    if (!this.#siteOf(state.call.site).takes(this.#connection.isFull)) return;
    this.#connection.tell({
      type: 'failed-call',
      site: state.call.site,
      startedAt: state.startedAt,
      durationMs: performance.now() - state.began,
      question: snapshot(state.asked, MAX_OF_QUESTION) ?? null,
      error: errorOf(error),
    });
  }

  /** The messages to send when the process exits. */
  last() {
    for (const end of this.#unfinished) end();
    return [...this.#sites].flatMap(([site, state]) => {
      const count = state.dropped();
      return count === 0 ? [] : [{ type: 'dropped', site, count }];
    });
  }

  #siteOf(key) {
    let site = this.#sites.get(key);
    if (!site) this.#sites.set(key, (site = new Site()));
    return site;
  }

  #keep(site, id, state) {
    this.#replays.set(id, state);
    for (const old of site.kept(id)) this.#replays.delete(old);
  }

  /** Handles a message of Parallax. */
  take(message) {
    if (message.type === 'cancel') this.#underWay.get(message.request)?.abort();
    if (message.type === 'ask') void this.#ask(message);
  }

  async #ask(message) {
    const state = this.#replays.get(message.retrieval);
    if (!state) {
      this.#connection.tell({ type: 'failed-answer', request: message.request, reason: 'gone' });
      return;
    }
    const cancelling = new AbortController();
    this.#underWay.set(message.request, cancelling);
    this.#connection.hold(true);
    try {
      await this.#put(state, message, cancelling.signal);
    } finally {
      this.#underWay.delete(message.request);
      if (this.#underWay.size === 0) this.#connection.hold(false);
    }
  }

  /** Asks one question and reports the answer. */
  async #put(state, { request, unit, question, k, limitMs }, signal) {
    const asked = new Ask(state.call.site, this.#connection, { request, unit }, k);
    let timer;
    const limit = new Promise((resolve) => {
      timer = setTimeout(() => resolve('time-limit'), limitMs);
      signal?.addEventListener('abort', () => resolve('cancelled'), { once: true });
    });
    const run = async () => {
      try {
        await this.#context.run({ ...state.within, ask: asked }, async () =>
          state.put(unit, question, k, asked),
        );
        return undefined;
      } catch (error) {
        asked.fail(error);
        return undefined;
      }
    };
    const given = await Promise.race([run(), limit]);
    clearTimeout(timer);
    asked.end(given ?? 'not-reached');
  }

  #measures(state) {
    const { measure } = this.#plan;
    return (
      measure !== undefined &&
      !this.#isMeasuring &&
      !state.within?.ask &&
      measure.site === state.call.site &&
      state.call.returns === 'passages'
    );
  }

  #claim(state) {
    if (!this.#measures(state)) return undefined;
    this.#isMeasuring = true;
    try {
      writeFileSync(join(this.#plan.spool, 'measuring'), String(process.pid), { flag: 'wx', mode: 0o600 });
    } catch {
      return undefined;
    }
    const { measure } = this.#plan;
    const unit =
      measure.unit === undefined
        ? state.told[0]
        : (state.told.find(({ unit: id, function: name }) => id === measure.unit || name === measure.unit) ??
          undefined);
    return { measure, unit };
  }

  async #measureThen(state, value) {
    const claimed = this.#claim(state);
    if (!claimed) return this.#came(state, value);
    this.#came(state, value);
    await this.#measured(state, claimed);
    return value;
  }

  async #measured(state, { measure, unit }) {
    this.#connection.hold(true);
    for (const { id, text } of measure.questions) {
      if (this.#connection.isOver) break;
      if (unit)
        await this.#put(state, {
          request: id,
          unit: unit.unit,
          question: text,
          k: measure.k,
          limitMs: measure.limitMs,
        });
      else this.#connection.tell({ type: 'failed-answer', request: id, reason: 'cannot-be-asked' });
    }
    this.#connection.tell({ type: 'measured', site: state.call.site, ...(unit ? { unit } : {}) });
    this.#connection.hold(false);
  }

  /** A synchronous call is asked immediately, because the next line may close what it works on. */
  #measuredInPlace(state, value) {
    const claimed = this.#claim(state);
    if (!claimed) return undefined;
    this.#came(state, value);
    const { measure, unit } = claimed;
    if (unit?.unit !== 'call') {
      // A function around it may be asynchronous.
      void this.#measured(state, claimed);
      return value;
    }
    for (const { id, text } of measure.questions) {
      const asked = new Ask(state.call.site, this.#connection, { request: id, unit: unit.unit }, measure.k);
      try {
        this.#context.run({ ...state.within, ask: asked }, () =>
          state.put(unit.unit, text, measure.k, asked),
        );
      } catch (error) {
        asked.fail(error);
      }
      asked.end('not-reached');
    }
    this.#connection.tell({ type: 'measured', site: state.call.site, unit });
    return value;
  }
}

/** A question from Parallax. */
class Ask {
  site;
  k;
  #connection;
  #about;
  #isOver = false;
  #began = performance.now();

  /** @param k number of passages to ask for, if the call takes k */
  constructor(site, connection, about, k) {
    this.site = site;
    this.k = k;
    this.#connection = connection;
    this.#about = about;
  }

  answer(state, value) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.tell({
      type: 'answer',
      ...this.#about,
      durationMs: performance.now() - this.#began,
      result: snapshot(value) ?? null,
      k: snapshot(state?.given.k ?? state?.found, MAX_OF_QUESTION) ?? null,
    });
  }

  fail(error) {
    this.#fail('threw', error);
  }

  end(reason) {
    this.#fail(reason);
  }

  #fail(reason, error) {
    if (this.#isOver) return;
    this.#isOver = true;
    const { request } = this.#about;
    this.#connection.tell({
      type: 'failed-answer',
      request,
      reason,
      ...(error === undefined ? {} : { error: errorOf(error) }),
    });
  }
}

/** A running call, or one that is asked again. */
class State {
  call;
  within;
  began = performance.now();
  given = {};
  asked;
  found;
  isTold = false;
  /** After how many passages the program left a generator, if it did. */
  left;
  /** Whether one of the methods that return passages is running, which may call another. */
  isTaken = false;
  #run;
  #units;
  #isAsked = false;

  constructor(call, { run, units, within }) {
    this.call = call;
    this.within = within;
    this.#run = run;
    this.#units = units;
  }

  get startedAt() {
    return performance.timeOrigin + this.began;
  }

  taking(run) {
    this.isTaken = true;
    try {
      return run();
    } finally {
      this.isTaken = false;
    }
  }

  /** The question comes from a function around the call; only k is replaced. */
  askForMore(k) {
    this.#isAsked = true;
    this.given = { k };
  }

  /** Called by wrapped code: whether an argument has a replaced value. */
  asks(name) {
    return this.#isAsked && this.given[name] !== undefined;
  }

  question(value) {
    this.asked = value;
    return value;
  }

  k(value) {
    this.found = value;
    return value;
  }

  added(name) {
    const { k } = this.given;
    if (!this.#isAsked || k === undefined) return [];
    return [name === undefined ? k : { [name]: k }];
  }

  entry(name) {
    return this.#isAsked && this.given.k !== undefined ? { [name]: this.given.k } : {};
  }

  /** Replaces the first string among the arguments by the question. */
  withQuestion(given) {
    if (!this.#isAsked || this.given.question === undefined) return given;
    const at = given.findIndex((each) => textIn(each) !== undefined);
    return at < 0 ? given : given.with(at, withText(given[at], this.given.question));
  }

  /** The same for a method of the call's result. */
  again(name, method, object, given) {
    const make = this.#run;
    const isMadeNew = this.asked !== undefined;
    const run = (another) =>
      isMadeNew
        ? chained(make(another), (made) => made[name](...given))
        : method.apply(object, another.withQuestion(given));
    const call = { ...this.call, awaited: false };
    const next = new State(call, { run, units: this.#units, within: this.within });
    next.asked = this.asked ?? given.map(textIn).find((text) => text !== undefined);
    next.found = this.found;
    return next;
  }

  /** What can be asked again, narrowest first. */
  get told() {
    const { file, planned } = this.call;
    const described = ({ unit, function: name, line, parameter, question }) => ({
      unit,
      file,
      line,
      function: name,
      parameter,
      question,
    });
    const text = textIn(this.asked);
    const units = this.#units.list;
    if (text === undefined) return units.map(described);
    const own = planned.isOneOfSeveral ? [] : [{ unit: 'call', file, line: planned.callee.start[0] }];
    const same = units.filter(({ question }) => question.trim() === text.trim());
    // The call's argument is derived from the question, so only the function that derived it can be given another
    // question.
    const sources = units.filter((each) => !same.includes(each) && isMadeOf(text, each.question));
    return [...sources.map(described), ...own, ...same.map(described)];
  }

  /** Asks again; passes the answer to `asked`. */
  put(unit, question, k, asked) {
    if (unit !== 'call') {
      const found = this.#units.list.find((each) => each.unit === unit);
      if (!found) return asked.end('cannot-be-asked');
      return found.put(question);
    }
    const state = new State(this.call, { run: this.#run, units: NO_UNITS, within: undefined });
    state.#isAsked = true;
    state.given = { question: withText(this.asked, question), ...(k === undefined ? {} : { k }) };
    state.asked = state.given.question;
    const value = this.#run(state);
    const take = (result) => asked.answer(state, result);
    return settle(value, take, Math.min(k || this.left || MAX_OF_QUESTION, MAX_OF_QUESTION));
  }
}

function chained(value, take) {
  return isNativePromise(value) ? value.then(take) : take(value);
}

/** Passes on the result: immediately, when a promise is fulfilled, or from a cursor, and of a generator the first. */
function settle(value, take, most) {
  if (typeof value?.then === 'function')
    return Promise.resolve(value).then((result) => settle(result, take, most));
  if (isOpen(value)) {
    if (types.isGeneratorObject(value) && typeof value[Symbol.iterator] === 'function')
      return take(firstOf(value, most));
    for (const name of ['toArray', 'execute', 'exec', 'getMany', 'json'])
      if (typeof value[name] === 'function') return Promise.resolve(value[name]()).then(take);
    if (typeof value[Symbol.asyncIterator] === 'function') return iterated(value, most).then(take);
  }
  return take(value);
}

function firstOf(generator, most) {
  const found = [];
  for (const each of generator) if (found.push(each) === most) break;
  return found;
}

async function iterated(iterable, most) {
  const found = [];
  for await (const each of iterable) if (found.push(each) === most) break;
  return found;
}

/** The retrievals of one site in this process. */
class Site {
  #second = 0;
  #inSecond = 0;
  #dropped = 0;
  #ids = [];

  takes(isFull) {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    if (++this.#inSecond <= PER_SECOND && !isFull) return true;
    this.#dropped++;
    return false;
  }

  dropped() {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** @returns the ids of dropped retrievals */
  kept(id) {
    this.#ids.push(id);
    return this.#ids.length > MAX_KEPT ? [this.#ids.shift()] : [];
  }
}

/** Passed to a wrapped call that is not observed. */
const IDLE = {
  asks: () => false,
  question: (value) => value,
  k: (value) => value,
  added: () => [],
  entry: () => ({}),
  given: {},
};

const observed = new WeakSet();
/** The longest question of a function, in characters. */
const MAX_QUESTION = 10_000;

/** Functions around the call with a string argument; of several strings, the one named like a question. */
class Units {
  #listed = [];
  #list;

  /** @param units the functions with the values of their parameters, which may change after the call */
  constructor(units) {
    try {
      for (const [about, valuesOf, put] of units?.() ?? []) this.#add(about, valuesOf, put);
    } catch {
      // Without functions around it, the call alone can be asked.
    }
  }

  #add(about, valuesOf, put) {
    let values;
    try {
      values = valuesOf();
    } catch {
      // A name that is redeclared below and not initialised yet.
    }
    this.#listed.push({ about, values, put });
  }

  get list() {
    this.#list ??= this.#listed.flatMap((each, place) => (each.values ? unitOf(each, place) : []));
    return this.#list;
  }
}

const NO_UNITS = new Units();

function unitOf({ about, values, put }, place) {
  const texts = values.flatMap((value, at) => (textIn(value) === undefined ? [] : [at]));
  const at =
    texts.find((each) => QUESTION_LIKE.test(about.parameters[each])) ??
    (texts.length === 1 ? texts[0] : undefined);
  if (at === undefined) return [];
  return [
    {
      unit: `function-${place}`,
      function: about.function,
      line: about.line,
      parameter: about.parameters[at],
      question: textIn(values[at]).slice(0, MAX_QUESTION),
      put: (question) => put(...values.with(at, withText(values[at], question))),
    },
  ];
}

/** The question in an argument: a string, a list of one, or an object that contains it. */
function textIn(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 1 && typeof value[0] === 'string' ? value[0] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const name = QUESTION_NAMES.find((each) => typeof value[each] === 'string');
  return name === undefined ? undefined : value[name];
}

/** Whether a text derived from the question contains most of its words, such as `"most" OR "words"`. */
function isMadeOf(text, question) {
  const words = wordsOf(question);
  const found = wordsOf(text);
  return words.size > 0 && 2 * [...words].filter((word) => found.has(word)).length > words.size;
}

function wordsOf(text) {
  return new Set(
    text
      .slice(0, MAX_QUESTION)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
}

function withText(value, text) {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return [text];
  if (typeof value !== 'object' || value === null) return text;
  const name = QUESTION_NAMES.find((each) => typeof value[each] === 'string');
  return name === undefined ? text : { ...value, [name]: text };
}

/** Sets the retriever's own k until it has answered. */
function withK(retriever, k, run) {
  const name = KS.find((key) => typeof retriever[key] === 'number');
  if (k === undefined || name === undefined) return run();
  const before = retriever[name];
  retriever[name] = k;
  const restore = () => {
    retriever[name] = before;
  };
  let value;
  try {
    value = run();
  } catch (error) {
    restore();
    throw passed(error); /*node-do-not-add-exception-line*/
  }
  if (isNativePromise(value)) value.then(restore, restore);
  else restore();
  return value;
}

/** Calls `listen` when the program first uses the promise: by `await`, `then`, `catch` or `finally`. */
function whenTouched(promise, listen) {
  if (!Object.isExtensible(promise)) return;
  let isTouched = false;
  const touch = () => {
    if (isTouched) return;
    isTouched = true;
    delete promise.then;
    delete promise.constructor;
    listen();
  };
  for (const name of ['then', 'constructor'])
    Object.defineProperty(promise, name, {
      configurable: true,
      get() {
        const own = Object.getPrototypeOf(promise)[name];
        touch();
        return own;
      },
    });
}

function define(object, name, value) {
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: false });
}

function isNativePromise(value) {
  return value instanceof Promise;
}

/** Whether the value may provide more than its fields. */
function isOpen(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isTable(value)) return false;
  return (!isPlain(value) || typeof value.then === 'function') && Object.isExtensible(value);
}

function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function errorOf(error) {
  const name = typeof error?.name === 'string' ? error.name : 'Error';
  return { name, message: String(error?.message ?? error).slice(0, 2000) };
}
