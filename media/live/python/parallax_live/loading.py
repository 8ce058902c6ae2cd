"""Finds the planned files when Python loads them: as modules, as the main script, by pytest, in notebooks."""
import builtins
import hashlib
import os
import sys
from functools import partial
from importlib.machinery import SourceFileLoader
from json import load
from types import SimpleNamespace

from . import asking, instrument, observe
from .connection import Connection, is_own
from .instrument import NAMES

PATCHED_MODULES = ('runpy', '_pytest.assertion.rewrite', 'IPython.core.interactiveshell', '_pydevd_bundle.pydevd_runpy')
FUNCTION = type(lambda: None)


def start(path):
    if not is_own(os.path.dirname(path)):
        return
    with open(path, encoding='utf-8') as file:
        plan = load(file)
    if plan.get('protocol') != 1 or not (plan['files'] or plan.get('cells')):
        return
    Loading(plan).install()


class Loading:
    def __init__(self, plan):
        self.plan = plan
        self.connection = Connection(plan)
        self.observer = observe.Observer(self.connection, plan)
        self.asker = asking.Asker(self.observer)
        self.connection.take = self.asker.take
        self.known = {}
        if hasattr(os, 'register_at_fork'):
            os.register_at_fork(after_in_child=self.in_child)

    def in_child(self):
        self.asker.reset()
        self.plan.pop('claimed', None)
        self.observer.open.clear()
        self.observer.following.clear()
        self.observer.pending.clear()
        self.observer.taking.clear()
        for site in self.observer.sites:
            site.kept.clear()
            site.dropped = 0

    def install(self):
        for name in NAMES:
            setattr(builtins, '__parallax_%s__' % name, getattr(self.observer, name))
        SourceFileLoader.get_code = PlannedCode(self, SourceFileLoader.get_code)
        sys.meta_path.insert(0, Patches(self))
        self.install_main()

    def planned(self, path):
        """The entry of the plan for a path as Python writes it."""
        if path not in self.known:
            try:
                self.known[path] = self.plan['files'].get(os.path.realpath(path))
            except Exception:
                return None
        return self.known[path]

    def code_of(self, path, data=None):
        """The instrumented code of a planned file; None if it has to run as it is."""
        entry = self.planned(path)
        if entry is None:
            return None
        try:
            if data is None:
                with open(path, 'rb') as file:
                    data = file.read()
            if hashlib.sha256(data).hexdigest() != entry['sha256']:
                return self.skip(path, 'changed')
            tree = compile(data, path, 'exec', instrument.TREE_ONLY, dont_inherit=True)
            self.instrument(tree, text_of(data), path, entry)
            return compile(tree, path, 'exec', dont_inherit=True)
        except SyntaxError:
            return None
        except Exception as error:
            return self.skip(path, 'error', repr(error))

    def instrument(self, tree, text, path, entry, leave_out=(), file=None):
        is_cell = file is not None
        file = file or os.path.realpath(path)
        register = lambda call, **facts: self.observer.register(file, call, **facts)
        found, missing = instrument.instrument(tree, text, entry['calls'], register, leave_out, is_cell)
        if found:
            self.connection.tell({'type': 'instrumented', 'file': file, 'calls': len(found)})
        if missing:
            self.skip(path, 'unknown-form', sites=missing, file=file)
        return found

    def skip(self, path, reason, detail=None, sites=None, file=None):
        message = {'type': 'skipped', 'file': file or os.path.realpath(path), 'reason': reason}
        if detail:
            message['detail'] = detail[:500]
        if sites:
            message['sites'] = sites
        self.connection.tell(message)

    def install_main(self):
        """
        Python asks the path hooks whether the script is a folder or an archive, and then calls `runpy._run_module_as_main`.
        Here that is the script's own instrumented code, so that no other frame is on the stack.
        """
        script = (getattr(sys, 'argv', None) or [''])[0]
        if not script.endswith(('.py', '.pyw')) or self.planned(script) is None or '-x' in getattr(sys, 'orig_argv', ()):
            return
        target = os.path.realpath(script)

        def hook(path):
            if hook not in sys.path_hooks or os.path.realpath(path) != target:
                raise ImportError
            sys.path_hooks.remove(hook)
            code = self.code_of(path)
            if code is None:
                raise ImportError
            sys.modules['runpy'] = Main(path, code)
            return path

        sys.path_hooks.append(hook)


class Main:
    """Stands for runpy until Python has asked for the function that runs the main script."""

    def __init__(self, path, code):
        self._run = (path, code)

    def __getattr__(self, name):
        if name != '_run_module_as_main':
            raise AttributeError(name)
        path, code = self._run
        del sys.modules['runpy']
        sys.path_importer_cache.pop(path, None)
        module = sys.modules['__main__'].__dict__
        module['__file__'] = path
        module['__cached__'] = None
        module['__loader__'] = SourceFileLoader('__main__', path)
        if sys.path and sys.path[0] == path:
            if getattr(sys.flags, 'safe_path', False):
                del sys.path[0]
            else:
                sys.path[0] = os.path.dirname(os.path.realpath(path))
        # Python passes two arguments, which the code of a module does not take: print, written in C, calls `flush` without any.
        return partial(print, file=SimpleNamespace(write=len, flush=FUNCTION(code, module)), flush=True)


class PlannedCode:
    """In the place of SourceFileLoader.get_code: the instrumented code of planned files, and the method as it was for others."""

    def __init__(self, loading, original):
        self.loading = loading
        self.original = original

    def __get__(self, loader, kind=None):
        original = self.original.__get__(loader, kind)
        path = getattr(loader, 'path', None)
        if loader is None or not isinstance(path, str) or self.loading.planned(path) is None:
            return original
        loading = self.loading

        def get_code(name):
            code = loading.code_of(loader.get_filename(name))
            return original(name) if code is None else code

        return get_code


class Patches:
    """Changes what else compiles planned files, right after it is imported."""

    def __init__(self, loading):
        self.loading = loading

    def find_spec(self, name, path=None, target=None):
        if name not in PATCHED_MODULES:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1:]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = PatchingLoader(spec.loader, self.loading)
                return spec
        return None


class PatchingLoader:
    def __init__(self, loader, loading):
        self._loader = loader
        self._loading = loading

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        spec = module.__spec__
        spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        try:
            patch = {'rewrite': patch_pytest, 'interactiveshell': patch_ipython}.get(spec.name.rpartition('.')[2], patch_runpy)
            patch(module, self._loading)
        except Exception:
            pass


def patch_runpy(module, loading):
    original = module._get_code_from_file

    def _get_code_from_file(*arguments):
        path = os.fsdecode(arguments[-1])
        code = loading.code_of(os.path.abspath(path)) if loading.planned(path) is not None else None
        if code is None:
            return original(*arguments)
        return code if sys.version_info >= (3, 13) and len(arguments) == 1 else (code, arguments[-1]) if returns_pair(original) else code

    module._get_code_from_file = _get_code_from_file


def returns_pair(function):
    return 'fname' in function.__code__.co_varnames and function.__code__.co_argcount == 2 or sys.version_info < (3, 12)


def patch_pytest(module, loading):
    rewrite, read, write = module.rewrite_asserts, module._read_pyc, module._write_pyc
    import _ast

    def rewrite_asserts(tree, source, module_path=None, config=None):
        entry = loading.planned(module_path) if module_path else None
        if entry is not None:
            if hashlib.sha256(source).hexdigest() == entry['sha256']:
                # Calls in assert statements are left out, because pytest rewrites these.
                loading.instrument(tree, text_of(source), module_path, entry, (_ast.Assert,))
            else:
                loading.skip(module_path, 'changed')
        return rewrite(tree, source, module_path, config)

    def is_planned(path):
        return loading.planned(os.fspath(path)) is not None

    module.rewrite_asserts = rewrite_asserts
    module._read_pyc = lambda source, *rest: None if is_planned(source) else read(source, *rest)
    rewrite_test = module._rewrite_test
    planned_code = set()

    def _rewrite_test(path, *rest):
        found = rewrite_test(path, *rest)
        if is_planned(path):
            planned_code.add(id(found[1]))
        return found

    module._rewrite_test = _rewrite_test
    module._write_pyc = lambda state, code, *rest: True if id(code) in planned_code else write(state, code, *rest)


def patch_ipython(module, loading):
    shell = module.InteractiveShell
    cells = {entry['sha256']: entry for entry in loading.plan.get('cells', ())}
    transform_cell, transform_ast = shell.transform_cell, shell.transform_ast
    latest = {}

    def keep_cell(self, raw_cell):
        latest['raw'] = raw_cell
        text = transform_cell(self, raw_cell)
        latest['text'] = text
        return text

    def keep_ast(self, node):
        node = transform_ast(self, node)
        raw = latest.get('raw') or ''
        entry = cells.get(hashlib.sha256(raw.encode('utf-8', 'replace')).hexdigest())
        if entry is not None:
            loading.instrument(node, raw, entry['file'], entry, file=entry['file'])
        return node

    shell.transform_cell, shell.transform_ast = keep_cell, keep_ast


def text_of(data):
    from importlib.util import decode_source
    return decode_source(data)
