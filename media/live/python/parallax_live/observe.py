"""What instrumented calls do: they record the call, hand its own result on, and tell Parallax."""
import os
import sys
from _collections import deque
from _contextvars import ContextVar
from _functools import partial
from time import monotonic, perf_counter, time

from .connection import MAX_BEHIND
from .values import MAX_KINDS, Copies, written

PER_SECOND = 20
MAX_FRAMES = 60
MAX_QUESTION = 10_000
MAX_UNITS = 5
MAX_FUNCTIONS = 12
IDLE_SECONDS = 0.5
PENDING_SECONDS = 60
MAX_TAKEN = 200
TEXT_NAMES = ('query', 'question', 'q', 'text', 'prompt', 'message', 'input')
GENERATOR = type(_ for _ in ())


async def _coroutine():
    pass


async def _async_generator():
    yield


_made = _coroutine()
COROUTINE = type(_made)
_made.close()
ASYNC_GENERATOR = type(_async_generator())
PLAIN = frozenset((list, dict, tuple))
# Classes that are no positions in an index. A list that begins with one is a list of passages.
ROWS = {dict, str}
BUILT_IN_ITERATORS = frozenset((map, filter, zip, enumerate, reversed, type(iter([])), type(iter(())), GENERATOR))
# The question being asked again, if any: an Asking.
ASKING = ContextVar('parallax_asking', default=None)
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = (os.path.dirname(os.path.abspath(os.__file__)), 'site-packages', 'dist-packages', '<frozen')


class Site:
    """One planned call."""

    def __init__(self, call, file, links, awaited, followed, looked_up):
        self.key = call['site']
        self.file = file
        self.line = call['start'][0]
        self.question = call.get('question')
        self.is_one_of_several = call.get('isOneOfSeveral', False)
        self.k = call.get('k')
        self.returns = call['returns']
        self.methods = call.get('methods') or []
        self.links = links
        self.awaited = awaited
        self.followed = followed
        self.looked_up = looked_up
        self.ranks = call.get('ranks', False)
        # Whether what the call returns may be its passages at once: nothing has to be taken from it.
        self.is_direct = self.returns == 'passages' and not (followed or self.ranks)
        self.unit = CallUnit(self)
        self.second = 0.0
        self.count = 0
        self.dropped = 0
        self.kept = deque(maxlen=3)

    def takes(self):
        now = monotonic()
        if now - self.second >= 1.0:
            self.second, self.count = now, 0
        self.count += 1
        return self.count <= PER_SECOND


class Record:
    duration = id = loop = taken = source = request = _question = None
    has_question = told = False
    # After how many passages the program left a generator, if it did.
    left = None
    frames = ()
    _units = None
    last = 0.0

    def __init__(self, site, steps, asking):
        self.site = site
        self.steps = steps
        self.asking = asking
        self.began = perf_counter()

    # Read when they are needed, which is rarely during the call.

    @property
    def question(self):
        if not self.has_question:
            self.question = read(self.steps, self.site.question) if self.site.question else first_text(self.steps)
        return self._question

    @question.setter
    def question(self, value):
        self._question, self.has_question = value, True

    @property
    def k(self):
        return read(self.steps, self.site.k)

    @property
    def units(self):
        if self._units is None:
            self._units, self.frames = units_of(self, self.frames), ()
        return self._units

    @units.setter
    def units(self, value):
        self._units = value

    @property
    def started(self):
        return (time() - (perf_counter() - self.began)) * 1000


def first_text(steps):
    _, args, named = steps[0]
    for value in (*args, *named.values()):
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        if isinstance(value, str):
            # The argument of the statement is derived from the question; the enclosing function has the question itself.
            return None if is_statement(value) else value
    return None


def is_statement(text):
    head = ' '.join(text[:2000].upper().split())
    return head.startswith(('SELECT ', 'WITH ')) and ' FROM ' in head or head.startswith(('MATCH (', 'CALL DB.'))


def read(steps, argument):
    """The value of an argument of the plan, None if the call does not have it."""
    step = step_of(steps, argument)
    if step is None:
        return None
    _, args, named = step
    path = argument['path']
    try:
        if len(path) == 1:
            return args[path[0]] if type(path[0]) is int else named[path[0]]
        first, *deeper = path
        value = args[first] if isinstance(first, int) else named[first]
        for key in deeper:
            value = value[key] if isinstance(value, (dict, list, tuple)) else getattr(value, key)
        return value
    except Exception:
        return None


def step_of(steps, argument):
    if argument is None:
        return None
    name = argument.get('chained')
    if name is None:
        return steps[0]
    return next((step for step in steps[1:] if step[0] == name), None)


def replaced(steps, argument, value):
    """The same steps with another value of one argument; None if that cannot be."""
    step = step_of(steps, argument)
    if step is None:
        return None
    function, args, named = step
    first, *deeper = argument['path']
    try:
        if isinstance(first, int):
            if first > len(args):
                return None
            changed = list(args)
            if first == len(args):
                changed.append(None)
            changed[first] = with_value(args[first] if first < len(args) else None, deeper, value)
            fresh = (function, tuple(changed), named)
        else:
            fresh = (function, args, {**named, first: with_value(named.get(first), deeper, value)})
    except Exception:
        return None
    return [fresh if each is step else each for each in steps]


def with_value(holder, path, value):
    if not path:
        return [value] if isinstance(holder, list) and len(holder) == 1 and isinstance(holder[0], str) else value
    key, *deeper = path
    if isinstance(holder, dict):
        return {**holder, key: with_value(holder.get(key), deeper, value)}
    if isinstance(holder, (list, tuple)):
        items = list(holder)
        items[key] = with_value(items[key], deeper, value)
        return items if isinstance(holder, list) else tuple(items)
    raise TypeError


class Observer:
    def __init__(self, connection, plan):
        self.connection = connection
        self.plan = plan
        self.measures = bool(plan.get('measure'))
        self.sites = []
        self.open = {}
        self.chains = {}
        self.following = {}
        self.taking = {}
        self.pending = {}
        self.number = 0
        self.pid = os.getpid()
        self.tracked = {}
        self.sent = deque()
        connection.tick = self.tick

    def register(self, file, call, **facts):
        self.sites.append(Site(call, file, **facts))
        return len(self.sites) - 1

    # Called from instrumented code.

    def call(self, number, function, /, *args, **named):
        if not callable(function):
            return function
        site = self.sites[number]
        try:
            key = (id(sys._getframe(1)), number)
            asking = ASKING.get()
            chain = self.chains.pop(key, None) if site.links else None
            if asking is not None or site.takes() and self.connection.size < MAX_BEHIND or site.returns == 'retriever':
                first = function if chain is None else function.__name__
                steps = [*(chain or ()), (first, args, named)]
                if asking is not None and asking.site is site and asking.k is not None and site.k:
                    changed = replaced(steps, site.k, asking.k)
                    if changed is not None:
                        steps = changed
                        _, args, named = steps[-1]
                self.open[key] = Record(site, steps, asking)
            else:
                site.dropped += 1
        except Exception:
            pass
        return partial(function, *args, **named)

    def link(self, number, place, function, /, *args, **named):
        try:
            key = (id(sys._getframe(1)), number)
            if place == 0:
                self.chains[key] = []
            steps = self.chains.get(key)
            if steps is not None and len(steps) == place:
                steps.append((function if place == 0 else function.__name__, args, named))
        except Exception:
            pass
        return partial(function, *args, **named) if callable(function) else function

    def result(self, number, result):
        frame = sys._getframe(1)
        key = (id(frame), number)
        record = self.open.pop(key, None)
        if record is None:
            return result
        try:
            record.duration = (perf_counter() - record.began) * 1000
            if type(result) in PLAIN and self.is_direct(record, result):
                return self.told(record, result, frame)
            return self.returned(record, key, result, frame)
        except Exception:
            return result

    def awaited(self, number, result):
        record = self.open.pop((id(sys._getframe(1)), number), None)
        if record is not None:
            try:
                record.duration = (perf_counter() - record.began) * 1000
                if type(result) in PLAIN and self.is_direct(record, result):
                    return self.told(record, result, sys._getframe(1))
                return self.finished(record, result, sys._getframe(1))
            except Exception:
                pass
        return result

    def failed(self, *numbers):
        frame = id(sys._getframe(1))
        for number in numbers:
            record = self.open.pop((frame, number), None)
            if record is not None:
                try:
                    self.tell_failure(record, sys.exc_info()[1])
                except Exception:
                    pass

    def fetched(self, number, owner, kind, result):
        record = self.following.get((number, id(owner)))
        if record is not None:
            try:
                if kind == 'fetchone':
                    if result is not None and len(record.taken) < MAX_TAKEN:
                        record.taken.append(written(result))
                    record.last = monotonic()
                    if result is not None:
                        return result
                elif isinstance(result, (list, tuple)) and kind != 'first' and kind != 'one':
                    record.taken.extend(written(list(result[:MAX_TAKEN])))
                elif result is not None:
                    record.taken.append(written(result))
                self.end_following((number, id(owner)))
            except Exception:
                pass
        return result

    def each(self, number, owner):
        key = (number, id(owner))
        record = self.following.get(key)
        if record is None:
            return owner
        try:
            if not hasattr(type(owner), '__next__'):
                return owner
            self.following.pop(key, None)
            return self.recorded(record, owner)
        except Exception:
            return owner

    def looked_up(self, number, value):
        record = self.pending.pop((id(sys._getframe(1)), number), None) if self.pending else None
        if record is not None:
            try:
                positions, record.source = record.source, None
                found = positions if is_positions(value) else value
                if record.asking is not None:
                    record.asking.answer(record, found)
                else:
                    self.tell(record, written(found))
            except Exception:
                pass
        return value

    # What came back.

    def returned(self, record, key, result, frame):
        site = record.site
        kind = type(result)
        if site.returns == 'retriever':
            self.track(site, result)
            return result
        if kind is COROUTINE or hasattr(kind, '__await__') and not hasattr(result, 'add_done_callback'):
            if site.awaited:
                if self.is_to_measure(site):
                    return self.measured_later(record, result, frame)
                self.open[key] = record
                if len(self.open) > 1000:
                    self.open.pop(next(iter(self.open)), None)
                return result
            return self.observed(record, result, frame) if kind is COROUTINE else result
        if hasattr(result, 'add_done_callback'):
            if site.awaited:
                self.open[key] = record
            else:
                self.note(record, frame)
                result.add_done_callback(partial(self.done, record))
            return result
        return self.finished(record, result, frame)

    def finished(self, record, result, frame):
        site, kind = record.site, type(result)
        if kind is ASYNC_GENERATOR:
            self.note(record, frame)
            return TakenLater(self, record, result)
        if kind in BUILT_IN_ITERATORS or kind.__module__ == 'itertools':
            self.note(record, frame)
            return self.recorded(record, result)
        # A ranking orders all: the function returns what is kept of it.
        is_number = is_positions(result) or site.ranks and site.looked_up
        if site.followed and not is_number and self.follow(record, result, frame):
            return result
        is_pending = site.looked_up and frame is not None and is_number
        if is_pending and record.asking is None:
            self.note(record, frame)
            # What the call alone gives is no passages.
            record.units = [unit for unit in record.units if isinstance(unit, Unit)]
        if self.is_to_measure(site):
            self.measure(record, frame)
        if is_pending:
            key = (id(frame), self.sites.index(site))
            if site.ranks:
                # One of many scores of the same ranking.
                self.pending.pop(key, None)
            self.forget(key)
            record.source, record.last = result, monotonic()
            self.pending[key] = record
        elif record.asking is not None:
            record.asking.answer(record, result)
        else:
            self.told(record, result, frame)
        return result

    def is_direct(self, record, result):
        """Whether a list, tuple or dictionary is told as it is. What would be looked up is not."""
        site = record.site
        if not site.is_direct or record.asking is not None or self.measures:
            return False
        return not site.looked_up or type(result) is list and (not result or type(result[0]) in ROWS)

    def told(self, record, result, frame):
        self.note(record, frame)
        # Only a copy of the passages is made at once, because the program may change them next.
        self.tell(record, copied_rows(record, result))
        return result

    def forget(self, key):
        """Tells the positions of a call whose function did not return."""
        record = self.pending.pop(key, None)
        if record is not None:
            positions, record.source = record.source, None
            self.tell(record, written(positions))

    def follow(self, record, result, frame):
        function = record.steps[-1][0]
        owner = getattr(function, '__self__', None) if result is None else result
        if owner is None or isinstance(owner, (list, tuple, dict, str)):
            return False
        if not (hasattr(owner, 'fetchall') or hasattr(type(owner), '__next__') or hasattr(owner, 'all') or hasattr(owner, 'to_list')):
            return False
        number = self.sites.index(record.site)
        if record.asking is None:
            for key, other in list(self.following.items()):
                if key[0] == number and other.asking is None:
                    self.end_following(key)
            self.note(record, frame)
            if self.is_to_measure(record.site):
                self.measure(record, frame)
        record.taken, record.source, record.last = [], owner, monotonic()
        self.following[(number, id(owner))] = record
        return True

    def end_following(self, key):
        record = self.following.pop(key, None)
        if record is None:
            return
        names = columns(record.source)
        record.source = None
        rows = record.taken
        is_plain = names and all(isinstance(row, list) for row in rows)
        found = {'$type': 'Rows', 'columns': names, 'rows': rows} if is_plain else rows
        if record.asking is not None:
            record.asking.answer(record, found)
        else:
            self.tell(record, found)

    def recorded(self, record, source):
        record.taken, record.last, record.source = [], monotonic(), None
        taken = Taken(partial(self.take, record), source)
        taken._parallax = (self, record, source)
        if record.asking is None:
            self.taking[id(record)] = (record, source if type(source) is GENERATOR else None)
        return taken

    def take(self, record, value):
        try:
            if len(record.taken) < MAX_TAKEN:
                record.taken.append(written(value))
            record.last = monotonic()
        except Exception:
            pass
        return value

    def end_taking(self, record):
        _, source = self.taking.pop(id(record), (None, None))
        if source is not None and source.gi_frame is not None:
            record.left = len(record.taken)
        if record.asking is not None:
            record.asking.answer(record, record.taken)
        else:
            self.tell(record, record.taken)

    async def observed(self, record, coroutine, frame):
        self.note(record, frame)
        try:
            result = await coroutine
        except BaseException as error:
            self.tell_failure(record, error)
            raise
        record.duration = (perf_counter() - record.began) * 1000
        return self.finished(record, result, None)

    def done(self, record, future):
        try:
            if future.cancelled():
                return
            error = future.exception()
            if error is not None:
                return self.tell_failure(record, error)
            record.duration = (perf_counter() - record.began) * 1000
            self.finished(record, future.result(), None)
        except Exception:
            pass

    # Messages.

    def note(self, record, frame):
        """What is only known while the call runs: its place on the stack, its loop, its request."""
        if record.id is not None or record.asking is not None:
            return
        if self.pid != self.connection.pid:
            self.pid, self.number = self.connection.pid, 0
        if self.sent:
            self.sent.clear()
        self.number += 1
        record.id = (self.pid, self.number)
        loop = running_loop()
        if loop is not None:
            record.loop, record.request = loop, task_of(loop)
        record.frames = frames_from(frame)
        record.site.kept.append(record)

    def tell(self, record, result):
        if record.asking is not None or record.told:
            return
        record.told = True
        dropped, record.site.dropped = record.site.dropped, 0
        self.connection.later(partial(self.message, record, result, dropped))

    def message(self, record, result, dropped):
        if type(result) is Copies:
            result = result.written()
        # The program lets go of its values itself.
        self.sent.append(record)
        message = {
            'type': 'retrieval', 'id': '%d-%d' % record.id, 'site': record.site.key, 'startedAt': record.started,
            'durationMs': record.duration or 0, 'question': question_of(record), 'k': written(record.k),
            'result': result, 'units': [unit.described() for unit in record.units], 'dropped': dropped,
        }
        if record.request:
            message['request'] = record.request
        return message

    def tell_failure(self, record, error):
        if record.asking is not None or isinstance(error, GeneratorExit):
            return
        self.connection.tell({
            'type': 'failed-call', 'site': record.site.key, 'startedAt': record.started,
            'durationMs': (perf_counter() - record.began) * 1000, 'question': question_of(record),
            'error': described(error),
        })

    def tick(self, is_over=False):
        """Ends what the program no longer takes from."""
        now = monotonic()
        for record, source in list(self.taking.values()):
            if is_over or source is not None and source.gi_frame is None:
                self.end_taking(record)
        for key, record in list(self.following.items()):
            if is_over or now - record.last > IDLE_SECONDS and record.taken:
                self.end_following(key)
        for key, record in list(self.pending.items()):
            if is_over or now - record.last > PENDING_SECONDS:
                self.forget(key)
        for site in self.sites if is_over else ():
            if site.dropped:
                dropped, site.dropped = site.dropped, 0
                self.connection.tell({'type': 'dropped', 'site': site.key, 'count': dropped})

    # Retrievers: their methods are observed on those objects that the planned call returned.

    def track(self, site, made):
        kind = type(made)
        for name in site.methods:
            method = kind.__dict__.get(name) or next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
            if method is None or not hasattr(method, '__code__'):
                continue
            owner = next(base for base in kind.__mro__ if name in base.__dict__)
            if not getattr(owner.__dict__[name], '_parallax', False):
                try:
                    setattr(owner, name, self.observed_method(name, method))
                except Exception:
                    continue
        self.tracked[id(made)] = (made, site)

    def observed_method(self, name, method):
        observer = self
        if method.__code__.co_flags & 0x80:
            async def run(self, /, *args, **named):
                record = observer.begin(self, name, args, named)
                if record is None:
                    return await method(self, *args, **named)
                token = INSIDE.set(id(self))
                try:
                    result = await method(self, *args, **named)
                except BaseException as error:
                    observer.tell_failure(record, error)
                    raise
                finally:
                    INSIDE.reset(token)
                record.duration = (perf_counter() - record.began) * 1000
                return observer.finished(record, result, sys._getframe(1))
        else:
            def run(self, /, *args, **named):
                record = observer.begin(self, name, args, named)
                if record is None:
                    return method(self, *args, **named)
                token = INSIDE.set(id(self))
                try:
                    result = method(self, *args, **named)
                except BaseException as error:
                    observer.tell_failure(record, error)
                    raise
                finally:
                    INSIDE.reset(token)
                record.duration = (perf_counter() - record.began) * 1000
                return observer.finished(record, result, sys._getframe(1))
        for field in ('__name__', '__qualname__', '__doc__', '__module__', '__defaults__', '__kwdefaults__', '__annotations__'):
            if field not in ('__defaults__', '__kwdefaults__'):
                setattr(run, field, getattr(method, field))
        run.__dict__.update(method.__dict__)
        run.__wrapped__ = method
        run._parallax = True
        return run

    def begin(self, made, name, args, named):
        entry = self.tracked.get(id(made))
        if entry is None or INSIDE.get() == id(made):
            return None
        site = entry[1]
        asking = ASKING.get()
        if asking is None and (self.connection.size >= MAX_BEHIND or not site.takes()):
            site.dropped += 1
            return None
        steps = [(getattr(made, name), args, named)]
        record = Record(site, steps, asking)
        record.question = first_text(steps)
        return record

    # Measuring in place.

    def is_to_measure(self, site):
        measure = self.plan.get('measure')
        return bool(measure) and measure['site'] == site.key and ASKING.get() is None and asking.claim(self.plan)

    def measure(self, record, frame):
        self.note(record, frame)
        asking.measure(self, record)

    async def measured_later(self, record, coroutine, frame):
        self.note(record, frame)
        try:
            result = await coroutine
        except BaseException as error:
            self.tell_failure(record, error)
            raise
        record.duration = (perf_counter() - record.began) * 1000
        await asking.measure_async(self, record)
        return self.finished(record, result, None)


INSIDE = ContextVar('parallax_inside', default=None)


class Taken(map):
    """Hands on what an iterator gives, one by one, as the program takes it. `next` of map adds no frame."""

    @property
    def __class__(self):
        return type(self._parallax[2])

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, '_parallax')[2], name)

    def __del__(self):
        try:
            observer, record, _ = self._parallax
            observer.end_taking(record)
            if observer.is_to_measure(record.site):
                asking.measure(observer, record)
        except Exception:
            pass


class TakenLater:
    """The same for an asynchronous generator."""

    def __init__(self, observer, record, source):
        record.taken, record.last = [], monotonic()
        self._parallax = (observer, record, source)
        if record.asking is None:
            observer.taking[id(record)] = (record, None)

    @property
    def __class__(self):
        return ASYNC_GENERATOR

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, '_parallax')[2], name)

    def __aiter__(self):
        return self

    async def __anext__(self):
        observer, record, source = self._parallax
        try:
            value = await source.__anext__()
        except StopAsyncIteration:
            observer.end_taking(record)
            if observer.is_to_measure(record.site):
                await asking.measure_async(observer, record)
            raise
        return observer.take(record, value)

    def __del__(self):
        try:
            observer, record, _ = self._parallax
            if not record.told:
                record.left = len(record.taken)
            observer.end_taking(record)
        except Exception:
            pass


class Unit:
    """A function on the stack that can be called again with another question."""

    def __init__(self, name, code, names, local, parameter):
        self.name = name
        self.file = code.co_filename
        self.line = code.co_firstlineno
        self.function = code.co_name
        self.parameter = parameter
        self.code = code
        self.globals = names
        self.arguments = arguments_of(code, local)

    def described(self):
        described = {'unit': self.name, 'file': self.file, 'line': self.line, 'function': self.function, 'parameter': self.parameter}
        positional, named = self.arguments[:2]
        question = positional.get(self.parameter, named.get(self.parameter))
        if isinstance(question, str):
            described['question'] = question[:MAX_QUESTION]
        return described

    def bound(self, question):
        """The function and its arguments, with the question replaced; None if the function is not to be found."""
        function = self.find()
        if function is None:
            return None
        positional, named, rest, more = self.arguments
        values = {**positional, **named, self.parameter: question}
        return function, (*(values[name] for name in positional), *rest), {**{name: values[name] for name in named}, **more}

    def find(self):
        import gc
        candidates = [self.globals.get(self.function), *gc.get_referrers(self.code)]
        for each in candidates:
            if hasattr(each, '__code__') and each.__code__ is self.code and hasattr(each, '__globals__') and not each.__closure__ or \
               hasattr(each, '__code__') and each.__code__ is self.code and hasattr(each, '__closure__'):
                return getattr(each, '__func__', each)
        return None


def arguments_of(code, local):
    names = code.co_varnames
    positional = {name: local.get(name) for name in names[:code.co_argcount]}
    end = code.co_argcount + code.co_kwonlyargcount
    named = {name: local.get(name) for name in names[code.co_argcount:end]}
    rest, more = (), {}
    if code.co_flags & 4:
        rest = tuple(local.get(names[end], ()))
        end += 1
    if code.co_flags & 8:
        more = dict(local.get(names[end], {}))
    return positional, named, rest, more


def frames_from(frame):
    """The functions of the program on the stack, with their arguments."""
    found = []
    depth = 0
    while frame is not None and depth < MAX_FRAMES and len(found) < MAX_FUNCTIONS:
        code = frame.f_code
        names, _ = PARAMETERS.get(id(code)) or parameters_of(code)
        if names:
            local = frame.f_locals
            found.append((code, frame.f_globals, {name: local[name] for name in names if name in local}))
        frame = frame.f_back
        depth += 1
    return found


def units_of(record, frames):
    """The functions that received the question as a text, nearest first. A heuristic if the call takes a vector."""
    question = record.question
    if isinstance(question, (list, tuple)) and len(question) == 1:
        question = question[0]
    is_text = isinstance(question, str)
    units, sources, seen = [], [], set()
    if is_text and not record.site.is_one_of_several:
        units.append(record.site.unit)
    for code, names, local in frames:
        if len(units) >= MAX_UNITS:
            break
        parameter = text_parameter(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount], local, question if is_text else None)
        if parameter is not None:
            name = getattr(code, 'co_qualname', code.co_name)
            name = name if name not in seen else '%s:%d' % (name, code.co_firstlineno)
            seen.add(name)
            is_source = is_text and local[parameter].strip() != question.strip()
            (sources if is_source else units).append(Unit(name, code, names, local, parameter))
    # The call's argument is derived from the question, so only the function that derived it can be given another one.
    return [*sources, *units]


class CallUnit:
    name = 'call'

    def __init__(self, site):
        self.site = site
        self.function = None

    def described(self):
        return {'unit': 'call', 'file': self.site.file, 'line': self.site.line}


def is_of_program(file):
    return not file.startswith((HERE, '<frozen')) and not any(part in file for part in LIBRARIES)


# By the id of a function's code, which is kept so that the id stays its own: Python hashes code by its content.
PARAMETERS = {}


def parameters_of(code):
    """
    Names of the parameters of a function of the program, including those for further arguments; none for other code.
    Returns them with the code.
    """
    count = code.co_argcount + code.co_kwonlyargcount
    further = bool(code.co_flags & 4) + bool(code.co_flags & 8)
    names = code.co_varnames[:count + further] if count and is_of_program(code.co_filename) else ()
    if len(PARAMETERS) > 10_000:
        PARAMETERS.clear()
    known = PARAMETERS[id(code)] = (names, code)
    return known


def text_parameter(names, local, question):
    texts = [name for name in names if isinstance(local.get(name), str)]
    likely = next((name for name in texts if name in TEXT_NAMES), None) or (texts[0] if len(texts) == 1 else None)
    if question is None:
        return likely
    same = next((name for name in texts if local[name] == question or local[name].strip() == question.strip()), None)
    return same or (likely if likely is not None and is_made_of(question, local[likely]) else None)


def is_made_of(text, question):
    """Whether most words of the question are in a text that was made of it, such as `"most" OR "words"`."""
    words = words_of(question)
    return bool(words) and 2 * len(words & words_of(text)) > len(words)


def words_of(text):
    return set(''.join(sign if sign.isalnum() else ' ' for sign in text[:MAX_QUESTION].lower()).split())


def is_positions(value):
    """Numbers alone: positions in an index, or scores."""
    if type(value) in ROWS:
        return False
    kind = getattr(getattr(value, 'dtype', None), 'kind', None)
    if kind is not None:
        return kind in 'iuf' and not hasattr(value, 'columns')
    if type(value) in (int, float):
        return True
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(is_positions(each) for each in value[:20])
    if len(ROWS) < MAX_KINDS and not isinstance(value, (int, float)) and not hasattr(value, 'dtype'):
        ROWS.add(type(value))
    return False


def question_of(record):
    if type(record.question) is str and len(record.question) <= MAX_QUESTION:
        return record.question
    if record.question is not None and not isinstance(record.question, str):
        found = written(record.question)
        if isinstance(found, dict) and '$vector' in found:
            found.pop('f32', None)
            nearest = next((unit for unit in record.units if isinstance(unit, Unit)), None)
            if nearest is not None:
                return found
        return found
    return written(record.question)


def columns(owner):
    try:
        return [each[0] for each in owner.description]
    except Exception:
        return None


def copied_rows(record, result):
    if type(result) is not list:
        return written(result)
    if result and type(result[0]) is tuple:
        owner = getattr(record.steps[-1][0], '__self__', None)
        names = columns(owner) if hasattr(type(owner), 'description') else None
        if names:
            return {'$type': 'Rows', 'columns': names, 'rows': written(result)}
    return Copies(result) if len(result) <= MAX_TAKEN else written(result)


def described(error):
    try:
        message = str(error)[:2000]
    except Exception:
        message = ''
    return {'name': type(error).__name__, 'message': message}


def running_loop():
    module = sys.modules.get('asyncio')
    try:
        return module._get_running_loop() if module else None
    except Exception:
        return None


def task_of(loop):
    try:
        task = sys.modules['asyncio'].current_task(loop)
        return None if task is None else '%d-%s-%x' % (os.getpid(), task.get_name(), id(task))
    except Exception:
        return None


from . import asking  # noqa: E402
