"""Asks a recorded call, or a function around it, again with another question."""
import os
import sys
import _thread
from time import monotonic, perf_counter

from .connection import _allocate_lock, _start_thread
from .values import written

MAX_ROWS = 200


class TimeLimit(BaseException):
    """Raised in the thread of a question that takes too long."""


class Cancelled(BaseException):
    pass


class Asking:
    def __init__(self, site, k):
        self.site = site
        self.k = k
        self.result = None
        self.reached = False
        self.used_k = None
        self.duration = 0

    def answer(self, record, result):
        if record.site is self.site and not self.reached:
            self.reached = True
            self.result = written_result(result)
            self.used_k = record.k
            self.duration = record.duration or 0


def written_result(result):
    from .observe import columns
    if hasattr(result, 'fetchall'):
        names = columns(result)
        rows = written(list(result.fetchall()[:MAX_ROWS]))
        return {'$type': 'Rows', 'columns': names, 'rows': rows} if names and all(isinstance(row, list) for row in rows) else rows
    return written(result)


def claim(plan):
    """Only one process of a run measures."""
    if plan.get('claimed') is not None:
        return False
    try:
        os.close(os.open(os.path.join(plan['spool'], 'measuring'), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        plan['claimed'] = True
        return True
    except OSError:
        plan['claimed'] = False
        return False


def unit_named(record, name):
    if name is not None:
        return next((unit for unit in record.units if name in (unit.name, unit.function)), None)
    return record.units[0] if record.units else None


def steps_for(record, question, k):
    """The steps of the recorded call with the question, and k if it is given, replaced."""
    from .observe import replaced
    argument = record.site.question or first_argument(record)
    steps = replaced(record.steps, argument, question) if argument else None
    if steps is not None and k is not None and record.site.k:
        steps = replaced(steps, record.site.k, k) or steps
    return steps


def first_argument(record):
    _, args, named = record.steps[0]
    for key, value in (*enumerate(args), *named.items()):
        if value is record.question or isinstance(value, (list, tuple)) and len(value) == 1 and value[0] is record.question:
            return {'path': [key]}
    return None


def run_steps(steps):
    function, args, named = steps[0]
    if len(steps) == 1 and getattr(function, '__name__', '') == 'execute' and hasattr(getattr(function, '__self__', None), 'connection'):
        # A new cursor, because the program still reads from the other one.
        cursor = function.__self__.connection.cursor()
        cursor.execute(*args, **named)
        return cursor
    result = function(*args, **named)
    for name, args, named in steps[1:]:
        result = getattr(result, name)(*args, **named)
    return result


class Question:
    """One question on its way: `start` calls what is asked, `end` makes the message of what came back."""

    def __init__(self, observer, record, request, unit, text, k):
        self.observer = observer
        self.record = record
        self.request = request
        self.unit = unit
        self.text = text
        self.asking = Asking(record.site, k)
        self.k = k
        self.steps = None

    def start(self):
        if self.unit.name == 'call':
            self.steps = steps_for(self.record, self.text, self.k)
            if self.steps is None:
                raise LookupError('the argument with the question cannot be replaced')
            self.began = perf_counter()
            return run_steps(self.steps)
        bound = self.unit.bound(self.text)
        if bound is None:
            raise LookupError('the function is gone')
        function, args, named = bound
        self.began = perf_counter()
        return function(*args, **named)

    def answer(self, result):
        asking = self.asking
        if self.unit.name == 'call':
            from .observe import read
            asking.duration = (perf_counter() - self.began) * 1000
            asking.result = written_result(result if not hasattr(type(result), '__next__') or hasattr(result, 'fetchall') else first_of(result, self.most()))
            asking.used_k = read(self.steps, self.record.site.k)
        elif hasattr(type(result), '__next__'):
            for _ in result:
                if asking.reached:
                    break
        for key, record in list(self.observer.following.items()):
            if record.asking is asking:
                self.observer.end_following(key)
        if self.unit.name != 'call' and not asking.reached:
            return self.failure('not-reached')
        return {
            'type': 'answer', 'request': self.request, 'durationMs': asking.duration, 'result': asking.result,
            'k': written(asking.used_k), 'unit': self.unit.name,
        }

    def most(self):
        """The number of rows to take of a generator: as many as the program took, if it left it."""
        return min(self.k or self.record.left or MAX_ROWS, MAX_ROWS)

    def failure(self, reason, error=None):
        from .observe import described
        message = {'type': 'failed-answer', 'request': self.request, 'reason': reason}
        if error is not None:
            message['error'] = described(error)
        return message

    def of_error(self, error):
        if self.asking.reached:
            return self.answer(None)
        if isinstance(error, TimeLimit):
            return self.failure('time-limit')
        if isinstance(error, Cancelled):
            return self.failure('cancelled')
        if isinstance(error, LookupError) and self.steps is None and error.args and str(error.args[0]).startswith('the '):
            return self.failure('cannot-be-asked', error)
        return self.failure('threw', error)


def first_of(iterator, most):
    rows = []
    for row in iterator:
        rows.append(row)
        if len(rows) >= most:
            break
    return rows


def run_in_thread(question, limit_ms):
    """Runs a synchronous question on this thread and interrupts it at its limit."""
    from .observe import ASKING
    token = ASKING.set(question.asking)
    watch = Watch(limit_ms)
    try:
        with watch:
            result = question.start()
            if hasattr(type(result), '__await__'):
                result.close() if hasattr(result, 'close') else None
                return question.failure('cannot-be-asked')
            return question.answer(result)
    except (Exception, TimeLimit, Cancelled) as error:
        return question.of_error(error)
    finally:
        ASKING.reset(token)


class Watch:
    """Raises TimeLimit in the thread that holds it; a call that never returns to Python is not interrupted."""

    def __init__(self, limit_ms):
        self.limit = limit_ms / 1000
        self.lock = _allocate_lock()
        self.thread = _thread.get_ident()

    def __enter__(self):
        self.lock.acquire()
        _start_thread(self.watch, ())
        return self

    def watch(self):
        if not self.lock.acquire(True, self.limit):
            self.raise_in_thread(TimeLimit)

    def raise_in_thread(self, kind):
        try:
            import ctypes
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(kind))
        except Exception:
            pass

    def __exit__(self, *_):
        try:
            self.lock.release()
        except RuntimeError:
            pass
        return False


async def run_on_loop(question, limit_ms):
    from .observe import ASKING
    import asyncio
    token = ASKING.set(question.asking)
    try:
        result = question.start()
        if hasattr(type(result), '__await__'):
            result = await asyncio.wait_for(result, limit_ms / 1000)
        if hasattr(type(result), '__anext__'):
            rows = []
            async for row in result:
                rows.append(row)
                if question.asking.reached or len(rows) >= question.most():
                    break
            result = rows
        return question.answer(result)
    except asyncio.CancelledError:
        raise
    except asyncio.TimeoutError:
        return question.failure('time-limit')
    except Exception as error:
        return question.of_error(error)
    finally:
        ASKING.reset(token)


# Measuring in place, before the program gets its result.

def measured_unit(observer, record):
    measure = observer.plan['measure']
    return unit_named(record, measure.get('unit'))


def questions_of(observer, record, unit):
    measure = observer.plan['measure']
    for each in measure['questions']:
        # After the end of Parallax an answer would be paid for in vain.
        if observer.connection.state == 'closed':
            return
        yield Question(observer, record, each['id'], unit, each['text'], measure.get('k'))


def measure(observer, record):
    plan, tell = observer.plan['measure'], observer.connection.tell
    unit = measured_unit(observer, record)
    for each in plan['questions'] if unit is None else ():
        tell({'type': 'failed-answer', 'request': each['id'], 'reason': 'cannot-be-asked'})
    for question in questions_of(observer, record, unit) if unit is not None else ():
        tell(run_in_thread(question, plan['limitMs']))
    tell({'type': 'measured', 'site': record.site.key, **({'unit': unit.described()} if unit is not None else {})})


async def measure_async(observer, record):
    plan, tell = observer.plan['measure'], observer.connection.tell
    unit = measured_unit(observer, record)
    for each in plan['questions'] if unit is None else ():
        tell({'type': 'failed-answer', 'request': each['id'], 'reason': 'cannot-be-asked'})
    for question in questions_of(observer, record, unit) if unit is not None else ():
        tell(await run_on_loop(question, plan['limitMs']))
    tell({'type': 'measured', 'site': record.site.key, **({'unit': unit.described()} if unit is not None else {})})


class Asker:
    """Answers what Parallax asks over the connection, one question after the other, on a thread of its own."""

    def __init__(self, observer):
        self.observer = observer
        self.reset()

    def reset(self):
        self.lock = _allocate_lock()
        self.waiting = []
        self.cancelled = set()
        self.busy = False
        self.current = None

    def take(self, message):
        if message.get('type') == 'cancel':
            self.cancel(message['request'])
        elif message.get('type') == 'ask':
            with self.lock:
                self.waiting.append(message)
                if not self.busy:
                    self.busy = True
                    _start_thread(self.work, ())

    def cancel(self, request):
        with self.lock:
            self.cancelled.add(request)
            current = self.current
        if current is not None and current[0] == request:
            current[1]()

    def work(self):
        while True:
            with self.lock:
                if not self.waiting:
                    self.busy = False
                    return
                message = self.waiting.pop(0)
            try:
                answer = self.answer(message)
            except BaseException:
                answer = {'type': 'failed-answer', 'request': message['request'], 'reason': 'cannot-be-asked'}
            self.observer.connection.tell(answer)

    def answer(self, message):
        request = message['request']
        if request in self.cancelled:
            return {'type': 'failed-answer', 'request': request, 'reason': 'cancelled'}
        record = next((kept for site in self.observer.sites for kept in site.kept if '%d-%d' % kept.id == message['retrieval']), None)
        unit = record and unit_named(record, message['unit'])
        if unit is None:
            return {'type': 'failed-answer', 'request': request, 'reason': 'gone'}
        question = Question(self.observer, record, request, unit, message['question'], message.get('k'))
        loop = record.loop
        if loop is not None:
            return self.answer_on(loop, question, message['limitMs'])
        thread = _thread.get_ident()
        watch = Watch(message['limitMs'])
        watch.thread = thread
        self.current = (request, lambda: watch.raise_in_thread(Cancelled))
        try:
            return run_in_thread(question, message['limitMs'])
        finally:
            self.current = None

    def answer_on(self, loop, question, limit_ms):
        import asyncio
        if loop.is_closed() or not loop.is_running():
            return question.failure('gone')
        future = asyncio.run_coroutine_threadsafe(run_on_loop(question, limit_ms), loop)
        self.current = (question.request, future.cancel)
        end = monotonic() + limit_ms / 1000 + 1
        while True:
            try:
                return future.result(0.2)
            except asyncio.CancelledError:
                return question.failure('cancelled')
            except BaseException as error:
                if future.cancelled():
                    return question.failure('cancelled')
                if future.done():
                    return question.of_error(error)
                if loop.is_closed() or not loop.is_running():
                    return question.failure('gone')
                if monotonic() > end:
                    future.cancel()
                    return question.failure('time-limit')
