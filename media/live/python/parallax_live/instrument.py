"""
Rewrites the syntax tree of one file so that the planned calls are observed. `f(a)` becomes
`__parallax_result__(n, __parallax_call__(n, f, a)())`: the inner parentheses call a functools.partial, so the program's own
line calls `f`, without a frame of this package between them.
"""
import _ast as ast

NAMES = ('call', 'link', 'result', 'awaited', 'failed', 'fetched', 'each', 'looked_up')
CALL, LINK, RESULT, AWAITED, FAILED, FETCHED, EACH, LOOKED_UP = ('__parallax_%s__' % name for name in NAMES)
TREE_ONLY = ast.PyCF_ONLY_AST
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FETCHES = frozenset(('fetchall', 'fetchone', 'fetchmany', 'all', 'first', 'one', 'to_list', 'fetch'))
READERS = frozenset(('list', 'tuple', 'sorted', 'enumerate', 'set'))


class Tree:
    def __init__(self, tree):
        self.parents = {}
        self.nodes = []
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            for field in node._fields:
                value = getattr(node, field, None)
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, ast.AST) and hasattr(child, '_fields'):
                        self.parents[id(child)] = (node, field)
                        waiting.append(child)

    def parent(self, node):
        return self.parents.get(id(node), (None, None))[0]

    def above(self, node):
        while node is not None:
            node = self.parent(node)
            if node is not None:
                yield node

    def adopt(self, made):
        for child in made.args:
            self.parents[id(child)] = (made, 'args')

    def replace(self, node, other):
        owner, field = self.parents[id(node)]
        value = getattr(owner, field)
        if isinstance(value, list):
            value[[each is node for each in value].index(True)] = other
        else:
            setattr(owner, field, other)
        self.parents[id(other)] = (owner, field)
        if isinstance(other, ast.Call):
            self.adopt(other)
        elif isinstance(other, ast.Try):
            self.parents[id(node)] = (other, 'body')


def instrument(tree, text, calls, register, leave_out=(), is_cell=False):
    """
    Rewrites `tree` in place.

    `register(call, **facts)` gives the number of a call; `leave_out` are kinds of nodes in which calls stay as they are;
    `is_cell` is true for a cell of a notebook.
    Returns the sites that were found and those that were not.
    """
    marked = Tree(tree)
    places = {}
    for node in marked.nodes:
        if isinstance(node, ast.Call):
            places[(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)] = node
    lines = text.replace('\r\n', '\n').replace('\r', '\n').split('\n')
    wanted = []
    missing = []
    for call in calls:
        node = places.get((*byte_place(lines, call['start']), *byte_place(lines, call['end'])))
        if node is None or leave_out and any(isinstance(each, leave_out) for each in marked.above(node)):
            missing.append(call['site'])
        else:
            wanted.append((call, node))
    whole = {id(node) for _, node in wanted}
    numbers = {}
    for call, node in wanted:
        rewrite(marked, call, node, lines, whole, register, numbers)
    guard(marked, numbers, is_cell)
    return [call['site'] for call, _ in wanted], missing


def byte_place(lines, position):
    line, column = position
    if line > len(lines):
        return line, -1
    text = lines[line - 1]
    if text.isascii():
        return line, column
    before = text.encode('utf-16-le', 'surrogatepass')[: 2 * column].decode('utf-16-le', 'replace')
    return line, len(before.encode('utf-8', 'replace'))


def rewrite(marked, call, node, lines, whole, register, numbers):
    links = chain(node, byte_place(lines, call['callee']['end']), whole)
    above = marked.parent(node)
    scope = next((each for each in marked.above(node) if isinstance(each, FUNCTIONS + (ast.Module, ast.ClassDef))), None)
    awaited = isinstance(above, ast.Await)
    outer = above if awaited else node
    followers = followed(marked, scope, node, outer) if call['returns'] == 'passages' else []
    returns = returns_after(marked, scope, node) if call['returns'] == 'passages' else []
    number = register(call, links=len(links), awaited=awaited, followed=bool(followers), looked_up=bool(returns))
    for each in returns:
        value = each.value
        each.value = made_call(LOOKED_UP, [constant(number, value), value], [], value)
        marked.parents[id(each.value)] = (each, 'value')
        marked.adopt(each.value)
    for follow in followers:
        wrap_follower(marked, number, *follow)
    for place, link in enumerate(links):
        begin = made_call(LINK, [constant(number, link), constant(place, link), link.func, *link.args], link.keywords, link)
        marked.adopt(begin)
        link.func, link.args, link.keywords = begin, [], []
    place_of_call = call_place(node)
    begin = made_call(CALL, [constant(number, node), node.func, *node.args], node.keywords, node)
    marked.adopt(begin)
    inner = copied(ast.Call(func=begin, args=[], keywords=[]), node)
    for name, value in place_of_call.items():
        setattr(inner, name, value)
    node.func, node.args, node.keywords = name_of(RESULT, node), [constant(number, node), inner], []
    if awaited:
        marked.replace(above, made_call(AWAITED, [constant(number, above), above], [], above))
    statement = statement_of(marked, outer)
    if statement is not None:
        numbers.setdefault(id(statement), (statement, []))[1].append(number)


def chain(node, callee, whole):
    """The calls before the last of a chain, first one first; none if the chain does not lead to the planned name."""
    links = []
    while (node.func.end_lineno, node.func.end_col_offset) != callee:
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if not isinstance(inner, ast.Call) or id(inner) in whole:
            return []
        links.insert(0, inner)
        node = inner
    return links


def call_place(node):
    """Python counts a method call of several lines from the line of the method's name."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.lineno == func.end_lineno:
        return {}
    trial = ast.Expression(body=copied(ast.Call(
        func=copied(ast.Attribute(value=copied(ast.Name(id='o', ctx=ast.Load()), func.value), attr=func.attr, ctx=ast.Load()), func),
        args=[copied(ast.Starred(value=copied(ast.Constant(value=()), each), ctx=ast.Load()), each) if isinstance(each, ast.Starred)
              else copied(ast.Constant(value=None), each) for each in node.args],
        keywords=[copied(ast.keyword(arg=each.arg and 'k%d' % place, value=copied(ast.Constant(value=None) if each.arg else ast.Dict(keys=[], values=[]), each.value)), each.value)
                  for place, each in enumerate(node.keywords)],
    ), node))
    try:
        eval(compile(trial, '<parallax>', 'eval', dont_inherit=True), {'o': _Raises()})
    except ZeroDivisionError as error:
        raised = error.__traceback__.tb_next
        if hasattr(raised.tb_frame.f_code, 'co_positions'):
            line, end, column, end_column = list(raised.tb_frame.f_code.co_positions())[raised.tb_lasti // 2]
            return {'lineno': line, 'end_lineno': end, 'col_offset': column, 'end_col_offset': end_column}
        if raised.tb_lineno != node.lineno:
            return {'lineno': raised.tb_lineno, 'col_offset': func.end_col_offset}
    return {}


class _Raises:
    def __getattribute__(self, _name):
        return _raise


def _raise(*_args, **_named):
    raise ZeroDivisionError


def statement_of(marked, node):
    """The simple statement in whose own frame the call runs."""
    for above in marked.above(node):
        if isinstance(above, FUNCTIONS + COMPREHENSIONS):
            return None
        if isinstance(above, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
            return above
        if isinstance(above, ast.stmt):
            return None
    return None


def guard(marked, numbers, is_cell):
    """`try: statement; except: note the failure; raise` keeps the traceback as it is."""
    for statement, failing in numbers.values():
        owner, _ = marked.parents[id(statement)]
        # A notebook shows the value of the last expression only if it is a statement of the cell itself.
        if is_cell and isinstance(owner, (ast.Module, ast.Interactive)):
            continue
        note = copied(ast.Expr(value=made_call(FAILED, [constant(number, statement) for number in failing], [], statement)), statement)
        again = copied(ast.Raise(exc=None, cause=None), statement)
        handler = copied(ast.ExceptHandler(type=None, name=None, body=[note, again]), statement)
        marked.replace(statement, copied(ast.Try(body=[statement], handlers=[handler], orelse=[], finalbody=[]), statement))


def followed(marked, scope, node, outer):
    """Where the same function takes rows from the cursor that the call returns or runs on: (node, name, kind)."""
    names = set()
    holder = marked.parent(outer)
    if isinstance(holder, ast.Assign):
        names.update(each.id for each in holder.targets if isinstance(each, ast.Name))
    elif isinstance(holder, ast.withitem) and isinstance(holder.optional_vars, ast.Name):
        names.add(holder.optional_vars.id)
    elif isinstance(holder, ast.NamedExpr):
        names.add(holder.target.id)
    if isinstance(node.func, ast.Attribute) and node.func.attr == 'execute' and isinstance(node.func.value, ast.Name):
        names.add(node.func.value.id)
    if not names:
        return []
    result = []
    for each in marked.nodes:
        if getattr(each, 'lineno', node.lineno) < node.lineno or each is node:
            continue
        follow = taken(marked, each, names)
        if follow is None:
            continue
        around = next((above for above in marked.above(each) if isinstance(above, FUNCTIONS + (ast.Module, ast.ClassDef))), None)
        if around is scope and not any(above is node for above in marked.above(each)):
            result.append(follow)
    return result


def returns_after(marked, scope, node):
    """Where the function around the call returns: an index gives positions, and the passages are looked up until then."""
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    found = []
    for each in marked.nodes:
        if isinstance(each, ast.Return) and each.value is not None and each.end_lineno >= node.lineno:
            around = next((above for above in marked.above(each) if isinstance(above, FUNCTIONS)), None)
            if around is scope:
                found.append(each)
    return found


def taken(marked, node, names):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FETCHES:
        root = node.func.value
        while isinstance(root, (ast.Call, ast.Attribute)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(root, ast.Name) and root.id in names:
            above = marked.parent(node)
            return (above if isinstance(above, ast.Await) else node), root.id, node.func.attr
    if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
        owner, field = marked.parents[id(node)]
        reads = isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id in READERS and field == 'args'
        if isinstance(owner, (ast.For, ast.comprehension)) and field == 'iter' and not getattr(owner, 'is_async', 0) or reads:
            return node, node.id, None
    return None


def wrap_follower(marked, number, node, name, kind):
    if kind is None:
        marked.replace(node, made_call(EACH, [constant(number, node), node], [], node))
    else:
        first = [constant(number, node), name_of(name, node), constant(kind, node)]
        marked.replace(node, made_call(FETCHED, [*first, node], [], node))


def made_call(function, arguments, keywords, at):
    return copied(ast.Call(func=name_of(function, at), args=arguments, keywords=keywords), at)


def name_of(name, at):
    return copied(ast.Name(id=name, ctx=ast.Load()), at)


def constant(value, at):
    return copied(ast.Constant(value=value, kind=None), at)


def copied(node, at):
    for name in ('lineno', 'col_offset', 'end_lineno', 'end_col_offset'):
        setattr(node, name, getattr(at, name))
    return node
