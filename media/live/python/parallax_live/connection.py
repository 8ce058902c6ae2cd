"""The one connection of a process to Parallax. Whatever happens to it, the program does not notice."""
import _socket
import _thread
import atexit
import os
import sys
from _collections import deque
from json import JSONEncoder, dumps, loads
from select import select
from time import monotonic

# Read before the program can monkey-patch them (gevent, tests without network).
_start_thread = _thread.start_new_thread
_allocate_lock = _thread.allocate_lock
_reentrant_lock = _thread.RLock

LONGEST_LINE = 32 * 1024 * 1024
MAX_WAITING = 64 * 1024 * 1024
# With more waiting, Parallax takes less than the program retrieves.
MAX_BEHIND = MAX_WAITING // 2
MAX_ARGUMENTS = 100
ANSWERS = ('answer', 'failed-answer', 'measured')
TICK_SECONDS = 0.1
# Beyond them, the program sends what waits itself.
MAX_LATER = 100
EXIT_SECONDS = 2.0
_encode = JSONEncoder(ensure_ascii=False, check_circular=False, separators=(',', ':')).encode


class Connection:
    def __init__(self, plan):
        self.plan = plan
        self.take = None
        self.tick = None
        self.reset()
        if hasattr(os, 'register_at_fork'):
            os.register_at_fork(before=self.before_fork, after_in_parent=self.after_fork, after_in_child=self.in_child)
        atexit.register(self.close)

    def reset(self):
        # Collecting garbage may end an iterator of the program, which is told.
        self.lock = _reentrant_lock()
        self.later_messages = deque()
        self.is_first = True
        self.socket = None
        self.state = 'new'
        self.waiting = []
        self.size = 0
        self.sent = 0
        self.running = None
        self.stopping = False
        self.wake = None
        self.pid = os.getpid()

    def later(self, make):
        """Has the thread make and send a message. The first of a process is sent at once, because it may be killed."""
        if self.state == 'open' and self.running is not None and not self.is_first and len(self.later_messages) < MAX_LATER:
            self.later_messages.append(make)
        else:
            self.is_first = False
            self.tell(make())

    def make_later(self):
        """The lock is held."""
        while self.later_messages:
            message = self.later_messages.popleft()()
            line = line_of(message)
            if self.size + len(line) <= MAX_WAITING:
                self.waiting.append(line)
                self.size += len(line)

    def tell(self, message):
        if self.state == 'closed':
            return
        line = line_of(message)
        with self.lock:
            self.make_later()
            if self.state == 'new':
                self.open()
            if self.state == 'closed':
                return
            # There is one answer a question, and without it there are no figures.
            if self.size + len(line) <= MAX_WAITING or message['type'] in ANSWERS:
                self.waiting.append(line)
                self.size += len(line)
            self.flush()
            if self.state == 'open' and self.running is None and not self.stopping:
                self.start_thread()

    def open(self):
        if not is_running(self.plan.get('owner')):
            return self.drop('closed')
        self.waiting.insert(0, self.hello())
        self.size += len(self.waiting[0])
        try:
            self.socket = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
            self.socket.settimeout(1.0)
            self.socket.connect(('127.0.0.1', self.plan['port']))
            self.socket.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
            self.socket.setblocking(False)
            self.state = 'open'
            workers = sys.modules.get('multiprocessing.util')
            if workers is not None:
                # Worker processes end without `atexit`.
                workers.Finalize(None, self.send_later, exitpriority=0)
        except Exception:
            self.drop('unreachable')

    def hello(self):
        return line_of({
            'type': 'hello', 'protocol': 1, 'token': self.plan['token'], 'language': 'python',
            'version': '.'.join(map(str, sys.version_info[:3])), 'pid': os.getpid(),
            'ppid': os.getppid() if hasattr(os, 'getppid') else 0,
            'command': [str(part)[:1000] for part in getattr(sys, 'orig_argv', getattr(sys, 'argv', []))[:MAX_ARGUMENTS]],
        })

    def flush(self):
        """Sends what can be sent without waiting. The lock is held."""
        while self.state == 'open' and self.waiting:
            line = self.waiting[0]
            try:
                self.sent += self.socket.send(memoryview(line)[self.sent:] if self.sent else line)
            except (BlockingIOError, InterruptedError):
                return
            except Exception:
                return self.drop('closed')
            if self.sent >= len(line):
                self.size -= len(line)
                self.sent = 0
                del self.waiting[0]

    def drop(self, state):
        self.state = state
        if self.socket is not None:
            try:
                self.socket.close()
            except Exception:
                pass
        self.socket = None
        if state == 'closed':
            self.waiting, self.size = [], 0
            self.later_messages.clear()

    def start_thread(self):
        self.running = _allocate_lock()
        self.running.acquire()
        try:
            self.wake = _socket.socketpair() if hasattr(_socket, 'socketpair') else None
            _start_thread(self.listen, (self.socket, self.running, self.wake))
        except Exception:
            self.running = None

    def listen(self, socket, running, wake):
        try:
            rest = b''
            wakes = [wake[1]] if wake else []
            while self.state == 'open' and not self.stopping:
                readable, _, _ = select([socket, *wakes], [socket] if self.waiting else [], [], TICK_SECONDS)
                if self.tick:
                    self.tick()
                if self.later_messages or self.waiting:
                    with self.lock:
                        self.make_later()
                        self.flush()
                if socket not in readable:
                    continue
                piece = socket.recv(65536)
                if not piece:
                    with self.lock:
                        self.drop('closed')
                    break
                *lines, rest = (rest + piece).split(b'\n')
                for line in lines:
                    if line.strip() and self.take:
                        self.take(loads(line))
        except Exception:
            pass
        finally:
            running.release()

    def stop_thread(self):
        running = self.running
        if running is None:
            return
        self.stopping = True
        try:
            if self.wake:
                self.wake[0].send(b'x')
        except Exception:
            pass
        running.acquire(True, 1.0)
        for end in self.wake or ():
            end.close()
        self.running, self.wake, self.stopping = None, None, False

    def before_fork(self):
        try:
            self.stop_thread()
            self.lock.acquire(True, 1.0)
            self.make_later()
            self.flush()
        except Exception:
            pass

    def after_fork(self):
        try:
            self.lock.release()
        except Exception:
            pass

    def in_child(self):
        """A child has a connection of its own, made with its first message."""
        socket = self.socket
        self.reset()
        if socket is not None:
            socket.close()

    def close(self):
        if self.state == 'new' or self.pid != os.getpid():
            return
        try:
            if self.tick:
                self.tick(True)
            self.stop_thread()
            self.send_later()
            end = monotonic() + EXIT_SECONDS
            while self.state == 'open' and self.waiting and monotonic() < end:
                select([], [self.socket], [], 0.1)
                with self.lock:
                    self.flush()
            if self.state != 'closed' and self.waiting:
                self.spool()
            self.drop('closed')
        except Exception:
            pass

    def send_later(self):
        with self.lock:
            self.make_later()
            self.flush()

    def spool(self):
        folder = self.plan['spool']
        if not os.path.isdir(folder) or not is_own(folder):
            return
        hello = self.hello()
        name = os.path.join(folder, '%d-%d.jsonl' % (os.getpid(), monotonic() * 1000))
        with open(name, 'ab', opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(b''.join([hello, *(line for line in self.waiting if line != hello)]))


def is_own(folder):
    """After the run, others may make a folder of the same name in the shared one for temporary files."""
    return not hasattr(os, 'getuid') or os.lstat(folder).st_uid == os.getuid()


def is_running(owner):
    """Once Parallax has ended, another program may listen at its port."""
    if owner is None or os.name != 'posix':
        return True
    try:
        os.kill(owner, 0)
    except OSError:
        return False
    return True


def line_of(message):
    text = _encode(message)
    if len(text) > LONGEST_LINE // 4 and 'result' in message:
        text = _encode({**message, 'result': {'$cut': 'size'}})
    try:
        return text.encode('utf-8') + b'\n'
    except UnicodeEncodeError:
        return dumps(message, separators=(',', ':')).encode('ascii') + b'\n'
