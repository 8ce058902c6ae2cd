"""Values of the program as JSON. Nothing is consumed, and no code of the program runs but the properties in READ."""
import binascii
import sys
from _collections_abc import Mapping, Sequence

TEXT = 100_000
ITEMS = 200
DEPTH = 8
NODES = 20_000
# As many as a message may have.
CHARACTERS = 8 * 1024 * 1024
DIMENSIONS = 4096
# Longer lists of numbers are vectors.
SHORTEST_VECTOR = 17
ATOMS = frozenset((str, int, float, bool, type(None)))
NO_PARTS = ((), {})
UNCHANGED = frozenset((type(None), bool, int))
NUMBERS = frozenset((int, float))
# Properties that libraries compute from their own fields.
READ = ('text', 'content', 'page_content', 'score', 'id_', 'node_id', 'metadata', 'payload', 'properties')
AS_TEXT = frozenset(('Decimal', 'UUID', 'ObjectId', 'PosixPath', 'WindowsPath', 'PurePosixPath', 'PureWindowsPath', 'Url'))
SLOT = type(type('Slotted', (), {'__slots__': ('a',)}).a)


def written(value):
    try:
        writer = _Writer()
        result = writer.write(value, 0)
        # Passages without their texts mislead.
        return result if writer.characters <= CHARACTERS else {'$cut': 'size'}
    except Exception:
        return {'$cut': 'error'}


class Copies:
    """
    A list of passages as it is now, to be written later. Each passage's own fields are copied; what is within them, such as
    metadata, is not. Of values of other kinds, whose reading may run code of the program, the written form is kept.
    """

    def __init__(self, values):
        self.values = [dict(value) if type(value) is dict else copied(value) for value in values]

    def written(self):
        return written(self.values)


class Copied:
    __slots__ = ('kind', 'fields')

    def __init__(self, kind, fields):
        self.kind = kind
        self.fields = fields


class Written:
    __slots__ = ('value',)

    def __init__(self, value):
        self.value = value


def copied(value):
    kind = type(value)
    if kind in ATOMS:
        return value
    if kind is dict:
        return dict(value)
    if kind is tuple:
        return tuple([copied(each) for each in value])
    if PARTS.get(kind) == NO_PARTS:
        return Copied(kind, dict(object.__getattribute__(value, '__dict__')))
    return Written(written(value))


class _Writer:
    def __init__(self):
        self.nodes = 0
        self.characters = 0
        self.open = set()

    def write(self, value, depth):
        kind = type(value)
        if self.characters > CHARACTERS:
            return None
        if kind is str:
            self.characters += min(len(value), TEXT)
            return value if len(value) <= TEXT else {'$text': value[:TEXT], 'length': len(value)}
        if kind in UNCHANGED:
            return value
        if kind is float:
            return value if value - value == 0 else None
        self.nodes += 1
        if self.nodes > NODES:
            return {'$cut': 'size'}
        if depth > DEPTH:
            return {'$cut': 'depth'}
        if id(value) in self.open:
            return {'$cut': 'cycle'}
        self.open.add(id(value))
        try:
            return self.compound(value, kind, depth + 1)
        except Exception:
            return {'$cut': 'error'}
        finally:
            self.open.discard(id(value))

    def compound(self, value, kind, depth):
        if kind is dict:
            return self.fields(value.items(), len(value), depth)
        if kind is Copied:
            return self.held(value.fields, value.kind, depth)
        if kind is Written:
            return value.value
        parts = PARTS.get(kind)
        if parts is not None:
            return self.object(value, kind, depth, parts)
        if isinstance(value, dict):
            return self.fields(dict.items(value), len(value), depth)
        if isinstance(value, tuple) and hasattr(kind, '_fields'):
            return {'$type': kind.__name__, **self.fields(zip(kind._fields, tuple.__iter__(value)), len(value), depth)}
        if isinstance(value, (list, tuple)):
            if len(value) >= SHORTEST_VECTOR and type(value[0]) in NUMBERS and NUMBERS.issuperset(map(type, value)):
                return vector(value)
            return self.items(value, len(value), depth)
        if isinstance(value, (str, int, float)):
            base = next(base for base in (str, int, float) if isinstance(value, base))
            return self.write(base(base.__str__(value)) if base is str else base(value), depth)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return {'$bytes': len(value)}
        if isinstance(value, (set, frozenset)):
            return self.items(value, len(value), depth)
        if isinstance(value, BaseException):
            return {'$type': kind.__name__, 'message': str(value)}
        if isinstance(value, type) or callable(value) and hasattr(value, '__code__'):
            return {'$type': 'type' if isinstance(value, type) else 'function', 'name': value.__name__}
        return self.foreign(value, kind, depth)

    def foreign(self, value, kind, depth):
        module = (getattr(kind, '__module__', None) or '').partition('.')[0]
        name = kind.__name__
        if module == 'numpy':
            return self.array(value, depth)
        if module == 'pandas' and name == 'DataFrame':
            rows = value.head(ITEMS).to_dict('records')
            more = len(value) - len(rows)
            return self.items(rows, len(rows), depth) + ([{'$more': more}] if more > 0 else [])
        if module == 'pandas' and name == 'Series':
            return self.write(value.head(ITEMS).to_dict(), depth)
        if module in ('torch', 'tensorflow', 'jax', 'jaxlib'):
            shape = tuple(getattr(value, 'shape', ()))
            size = 1
            for length in shape:
                size *= int(length)
            return {'$vector': size}
        if name in AS_TEXT:
            return str(value)
        if module in ('datetime', 'pandas', 'pendulum') and hasattr(value, 'isoformat'):
            return value.isoformat()
        if name == 'Row' and module == 'sqlite3':
            return self.fields(zip(value.keys(), tuple(value)), len(tuple(value)), depth)
        if module == 'sqlalchemy' and hasattr(kind, '_mapping'):
            return self.fields(dict(value._mapping).items(), len(value), depth)
        if name == 'Record' and module == 'asyncpg' or isinstance(value, Mapping):
            return self.fields(((key, value[key]) for key in value.keys()), len(value), depth)
        if isinstance(value, Sequence) or isinstance(value, (type({}.keys()), type({}.values()))) or name == 'deque':
            return self.items(value, len(value), depth)
        if 'Enum' in {base.__name__ for base in kind.__mro__}:
            return self.write(value._value_, depth)
        parts = parts_of(kind)
        if len(PARTS) < MAX_KINDS:
            PARTS[kind] = parts
        return self.object(value, kind, depth, parts)

    def object(self, value, kind, depth, parts):
        properties, slots = parts
        return self.held(own_fields(value, kind, slots), kind, depth, value, properties)

    def held(self, held, kind, depth, value=None, properties=()):
        if isinstance(held.get('_data_store'), dict):
            held = held['_data_store']
        shown = {key: each for key, each in held.items() if isinstance(key, str) and (key[:1] != '_' or key in ('_id', '_score', '_source', '_body'))}
        if '_body' in shown:
            shown['body'] = shown.pop('_body')
        for name in properties:
            if name in shown or 'node' in shown:
                continue
            try:
                shown[name] = getattr(value, name)
            except Exception:
                continue
        return {'$type': kind.__name__, **self.fields(shown.items(), len(shown), depth)}

    def fields(self, pairs, length, depth):
        result = {}
        for key, each in pairs:
            if len(result) >= ITEMS:
                result['$more'] = length - ITEMS
                break
            name = key if type(key) is str else str(key)
            self.characters += len(name)
            kind = type(each)
            if kind is str and len(each) <= TEXT:
                self.characters += len(each)
                result[name] = each
            else:
                result[name] = each if kind in UNCHANGED else self.write(each, depth)
        return result

    def items(self, values, length, depth):
        result = []
        for each in values:
            if len(result) >= ITEMS:
                result.append({'$more': length - ITEMS})
                break
            result.append(self.write(each, depth))
        return result

    def array(self, value, depth):
        shape = getattr(value, 'shape', ())
        if shape == ():
            return self.write(value.item(), depth)
        if value.dtype.kind == 'O' or value.dtype.names:
            return self.items(value.tolist()[:ITEMS], len(value), depth)
        if len(shape) == 1:
            if shape[0] >= SHORTEST_VECTOR and value.dtype.kind in 'fiu':
                return vector(value.tolist()) if shape[0] <= DIMENSIONS else {'$vector': int(shape[0])}
            return self.items(value[:ITEMS].tolist(), int(shape[0]), depth)
        return self.items(value, int(shape[0]), depth)


def vector(numbers):
    if len(numbers) > DIMENSIONS:
        return {'$vector': len(numbers)}
    try:
        floats = array('f', numbers)
    except Exception:
        return {'$vector': len(numbers)}
    if sys.byteorder == 'big':
        floats.byteswap()
    return {'$vector': len(numbers), 'f32': binascii.b2a_base64(floats.tobytes(), newline=False).decode('ascii')}


# By class: what is read of its objects. Looking it up for every object would take longer than all else.
PARTS = {}
MAX_KINDS = 1000


def parts_of(kind):
    """Names of properties to read, and the slots by name."""
    slots = {}
    for base in kind.__mro__:
        names = base.__dict__.get('__slots__', ())
        for name in (names,) if isinstance(names, str) else names:
            member = base.__dict__.get(name)
            if type(member) is SLOT:
                slots.setdefault(name, member)
    return tuple(name for name in READ if isinstance(getattr(kind, name, None), property)), slots


def own_fields(value, kind, slots):
    """What the object itself holds: its `__dict__` and its slots; properties are not read."""
    fields = {}
    try:
        fields.update(object.__getattribute__(value, '__dict__'))
    except AttributeError:
        pass
    for name, member in slots.items():
        if name not in fields:
            try:
                fields[name] = member.__get__(value, kind)
            except AttributeError:
                pass
    return fields


try:
    from array import array
except ImportError:
    def array(_kind, _numbers):
        raise TypeError
