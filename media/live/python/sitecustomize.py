# Python imports this file when a program starts, because PYTHONPATH names its folder. It runs under every version of
# Python, so it uses nothing new.
import os
import sys


def _without_this_folder():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or '.') != here]
    return here


def _start(here):
    plan = os.environ.get('PARALLAX_LIVE')
    if not plan or sys.version_info < (3, 9) or sys.implementation.name != 'cpython':
        return
    # A command line within the terminal of an editor adds its own copy of this file.
    if 'parallax_live' in sys.modules:
        return
    sys.path.insert(0, here)
    try:
        from parallax_live import loading
    finally:
        sys.path.remove(here)
    loading.start(plan)


_here = _without_this_folder()
try:
    _start(_here)
except Exception:
    # A failure here must not stop the program, which then runs unobserved.
    pass

# The sitecustomize that this one hides.
_this = sys.modules.pop('sitecustomize', None)
try:
    import sitecustomize
except ImportError as _error:
    if getattr(_error, 'name', 'sitecustomize') != 'sitecustomize':
        raise
    if _this is not None:
        sys.modules['sitecustomize'] = _this
