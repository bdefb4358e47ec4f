"""Checks that nbdev does not make. Each prints what is wrong and fails, or prints one line.

    checks.py executed    every notebook was run: no gaps, no errors, no paths of a machine
    checks.py order       veloxquant_mlx is imported before mlx in every notebook
    checks.py links       relative links and pictures of the notebooks and pages lead somewhere
    checks.py titles      every notebook has a title and a subtitle that the docs can use, and loses no text to them
    checks.py sidebar     the docs' sidebar has every notebook, each section in order
    checks.py lengths     no exported cell has more than 30 lines of code
    checks.py docments    every public function, method and class of the package says what it does, and what each parameter is
    checks.py docs        nbdev can prepare every notebook for the docs, in _proc (it runs all cells with imports, and the exported ones, but no others)
    checks.py pages       every link of the prepared pages leads somewhere: files, figures, anchors, symbols, lines of the source
    checks.py site        the same of the site that Quarto made, in _docs
    checks.py wheel FILE  a wheel has every module
    checks.py count       print the numbers of notebooks that tests run and skip
"""
import ast,inspect,io,json,re,sys,tokenize,zipfile
from dataclasses import is_dataclass
from pathlib import Path
from urllib.parse import unquote

root = Path(__file__).resolve().parent.parent
paths = sorted(o for o in (root/'nbs').rglob('*.ipynb') if not any(p.startswith(('.','_')) for p in o.relative_to(root).parts))
source = lambda c: ''.join(c['source'])

def books(): return [(p.name, json.loads(p.read_text(encoding='utf-8'))) for p in paths]

def skipped(nb):
    "Whether nbdev leaves the whole notebook out of a test run."
    return any(c['cell_type']=='raw' and re.search(r'^skip_exec:\s*true', source(c), re.M|re.I) for c in nb['cells'])

def runs(cell):
    "Whether executing a notebook fills in this cell."
    return cell['cell_type']=='code' and source(cell).strip() and not re.search(r'^#\s*\|\s*eval:\s*false', source(cell), re.M)

def texts(o):
    "All text of an output, pictures left out."
    for k,v in o.get('data', {}).items():
        if k.startswith('text/'): yield ''.join(v)
    yield ''.join(o.get('text', ''))
    yield '\n'.join(o.get('traceback', []))

def speaks(code):
    "Whether a cell must have an output: it prints, shows an error, or ends in a plain value (nbdev_clean removes the run numbers)."
    try: body = ast.parse(code).body
    except SyntaxError: return False
    called = lambda o: getattr(getattr(o, 'func', None), 'id', '')
    for o in body:
        if isinstance(o, ast.Expr) and called(o.value)=='print': return True
        if isinstance(o, ast.With) and any(called(i.context_expr)=='expect_fail' for i in o.items): return True
    plain = (ast.Name,ast.Tuple,ast.List,ast.ListComp,ast.DictComp,ast.BinOp,ast.Compare,ast.Attribute,ast.Subscript)
    return bool(body) and isinstance(body[-1], ast.Expr) and isinstance(body[-1].value, plain) and not code.rstrip().endswith(';')

def executed():
    machine = re.compile(r'(?<![\w.:/])/(?:root|home|Users|tmp|var/folders|private|work|opt|usr|mnt)/[\w.-]+|site-packages|ipykernel_\d+|\b[A-Z]:\\\\')
    for name,nb in books():
        for c in nb['cells']:
            if runs(c) and speaks(source(c)) and not c.get('outputs'): yield f"{name}: cell {c['id']} has no output: the notebook was not run"
            for o in c.get('outputs', []):
                if o['output_type']=='error': yield f"{name}: cell {c['id']} ends in {o.get('ename')}"
                for t in texts(o):
                    if m := machine.search(t): yield f"{name}: cell {c['id']} prints a path of a machine: {m[0]}"

def imports(code):
    "The modules that a cell imports, in order."
    code = '\n'.join(l for l in code.split('\n') if not l.lstrip().startswith(('%','!')))
    try: tree = ast.parse(code)
    except SyntaxError: return
    for o in ast.walk(tree):
        if isinstance(o, ast.Import): yield from (a.name for a in o.names)
        elif isinstance(o, ast.ImportFrom) and not o.level: yield o.module

def order():
    for name,nb in books():
        mods = [m for c in nb['cells'] if runs(c) for m in imports(source(c))]
        first = next((m.split('.')[0] for m in mods if m.split('.')[0] in ('mlx','mlx_lm','veloxquant_mlx')), 'veloxquant_mlx')
        if first!='veloxquant_mlx': yield f'{name}: imports {first} before veloxquant_mlx, so that no fast BLAS can be loaded'

def links():
    pages = [(p.name, p.parent, '\n'.join(source(c) for c in json.loads(p.read_text(encoding='utf-8'))['cells'] if c['cell_type']=='markdown')) for p in paths]
    pages += [(p.name, p.parent, p.read_text(encoding='utf-8')) for p in sorted(root.glob('*.md'))]
    for name,folder,text in pages:
        text = re.sub(r'^```.*?^```', '', text, flags=re.S|re.M)
        for url in re.findall(r'\]\(\s*<?([^)\s>]+)>?[^)]*\)', text)+re.findall(r'(?:src|href)="([^"]+)"', text):
            if re.match(r'[a-z]+:', url, re.I) or url.startswith('#'): continue
            at = folder/url.split('#')[0]
            if not at.exists(): yield f'{name}: nothing at {url}'
            elif root not in at.resolve().parents: yield f'{name}: {url} leaves the project'

def titles():
    "nbdev makes the title and the description of a page from its first cell of text, and drops whatever else stands there."
    for name,nb in books():
        first = next((source(c).strip() for c in nb['cells'] if c['cell_type']=='markdown'), '')
        if not re.fullmatch(r'# \S.*\n+> \S.*', first): yield f'{name}: the first cell of text must be "# Title" and one line "> subtitle", nothing else'

def sidebar():
    import yaml
    listed = yaml.safe_load((root/'nbs'/'sidebar.yml').read_text(encoding='utf-8'))['website']['sidebar']['contents']
    parts = [o['contents'] for o in listed]
    flat,names = [f for part in parts for f in part],{p.name for p in paths}
    yield from (f'sidebar.yml lacks {o}' for o in sorted(names-set(flat)))
    yield from (f'sidebar.yml lists {o}, which is no notebook' for o in flat if o not in names)
    yield from (f'sidebar.yml lists {o} twice' for o in sorted({o for o in flat if flat.count(o)>1}))
    yield from (f'sidebar.yml: {part} is not in the order of the numbers' for part in parts if part!=sorted(part))
    if flat[0]!='index.ipynb': yield 'sidebar.yml does not begin with index.ipynb'

def code_lines(code):
    "Lines of a cell that count: without empty ones, directives and decorators, and the lines of a signature that carry a comment."
    free = {i for i,l in enumerate(code.split('\n'), 1) if not l.strip() or re.match(r'\s*#\s*\|', l)}
    comments = {t.start[0] for t in tokenize.generate_tokens(io.StringIO(code).readline) if t.type==tokenize.COMMENT}
    for o in ast.walk(ast.parse(code)):
        for d in getattr(o, 'decorator_list', []): free |= set(range(d.lineno, d.end_lineno+1))
        if isinstance(o, ast.FunctionDef): free |= comments & set(range(o.lineno, o.body[0].lineno))
    return len(code.split('\n'))-len(free)

def lengths():
    "A cell of 31 lines, and one whose further lines do not count, are planted to see that they are told apart."
    def long(name, nb):
        for c in nb['cells']:
            code = source(c).rstrip()
            if c['cell_type']!='code' or not re.search(r'^#\s*\|\s*export', code, re.M): continue
            if (n := code_lines(code))>30: yield f"{name}: cell {c['id']} has {n} lines of code, and must have at most 30"
    for name,nb in books(): yield from long(name, nb)
    body = '#| export\n\n@patch\ndef f(\n    a, # A number\n): # Another\n'+'    a += 1\n'*29
    planted = [dict(cell_type='code', id=o, source=body+more) for o,more in (('short',''),('long','    a += 1'))]
    if [o.split()[2] for o in long('planted', dict(cells=planted))]!=['long']: yield 'this check is blind: it does not find a long cell'

def public(cls):
    "The constructor and the public methods and properties that a class of the package defines itself, or has of a private class."
    seen = set()
    for c in cls.__mro__:
        if c is not cls and (c.__module__!=cls.__module__ or c.__name__[0]!='_'): continue
        yield from ((c,k,o) for k,o in vars(c).items() if k not in seen and (k[0]!='_' or k=='__init__' and not issubclass(c, BaseException)))
        seen |= set(vars(c))

def inner(cls, name):
    "The function behind a method, or the getter of a property; None for anything else."
    o = vars(cls)[name]
    f = o.fget if isinstance(o, property) else getattr(cls, name)
    f = inspect.unwrap(getattr(f, '__func__', f)) if callable(f) else None
    return f if inspect.isfunction(f) else None

def unsaid(f, what, doc, package):
    "What the documentation of a function, or of the fields of a dataclass, lacks."
    if not doc: yield f'{what}: has no docstring'
    if f.__module__.split('.')[0]!=package or f.__name__=='<lambda>': return
    from fastcore.docments import docments
    for k,v in docments(f, returns=False, args_kwargs=True).items():
        if not v and k not in ('self','cls'): yield f'{what}: nothing says what {k} is'

def incomplete(mods, package):
    for mod in mods:
        for name in mod.__all__:
            o = getattr(mod, name)
            if getattr(o, '__module__', None)!=mod.__name__ or not callable(o): continue
            what = f"{mod.__name__.removeprefix(package+'.')}.{name}"
            if not isinstance(o, type): yield from unsaid(inspect.unwrap(o), what, inspect.unwrap(o).__doc__, package); continue
            if not vars(o).get('__doc__'): yield f'{what}: has no docstring'
            for c,m,attr in public(o):
                f = inner(c, m)
                if f is None: continue
                above = [inner(b, m) for b in c.__mro__[1:] if b.__module__.split('.')[0]==package and m in vars(b) and inner(b, m)]
                if m!='__init__' and any(list(inspect.signature(b).parameters)==list(inspect.signature(f).parameters) for b in above): continue     # what is overridden says it
                yield from unsaid(c if m=='__init__' and is_dataclass(c) else f, f'{what}.{m}', m=='__init__' or (attr if isinstance(attr, property) else f).__doc__, package)

class Planted:
    def __init__(self, a): "Its parameter has no comment."
    def told(self,
        b, # A number
    ): "All is said."
    def mute(self): pass
    quiet = property(lambda self: 1)

def docments():
    "Functions that lack something are planted to see that they would be found."
    import importlib,pkgutil,types
    sys.path.insert(0, str(root))
    import veloxquant_mlx as top
    mods = [importlib.import_module(f'{top.__name__}.{o.name}') for o in pkgutil.iter_modules(top.__path__)]
    yield from sorted(set(incomplete([o for o in mods if hasattr(o, '__all__')], top.__name__)))
    bad = types.SimpleNamespace(__name__=__name__, __all__=['Planted'], Planted=Planted)
    found = [o.removeprefix(f'{__name__}.') for o in incomplete([bad], __name__)]
    if found!=['Planted: has no docstring','Planted.__init__: nothing says what a is','Planted.mute: has no docstring','Planted.quiet: has no docstring']: yield f'this check is blind: of what was planted it finds {found}'

def docs():
    import os
    from nbdev.serve import proc_nbs
    os.environ['PYTHONWARNINGS'] = 'ignore'                    # nbdev's on cells that import and compute, from its workers
    try: proc_nbs(force=True, n_workers=2)
    except Exception as e: yield f'{str(e)[:300]}\n  {e.__cause__!r}'

def heading_id(text):
    "The anchor that pandoc gives a heading."
    text = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text)
    text = re.sub(r'[^\w\s.-]', '', re.sub(r'(?<![\w.])_([^_]+)_(?!\w)', r'\1', text)).strip().lower()
    return re.sub(r'^[\W\d_]+', '', re.sub(r'\s+', '-', text)) or 'section'

def shown(path):
    "The text of a page: what was written, and what cells give out as text or HTML. Code is left out."
    if path.suffix=='.md': yield path.read_text(encoding='utf-8'); return
    for c in json.loads(path.read_text(encoding='utf-8'))['cells']:
        if c['cell_type']!='code': yield source(c)
        for o in c.get('outputs', []): yield from (''.join(o.get('data', {}).get(k, '')) for k in ('text/markdown','text/html'))

class Page:
    "A page that is ready for the docs: its file, the name it gets on the site, its anchors and its links."
    def __init__(self, path, folder):
        self.file,text = path.relative_to(folder).as_posix(),re.sub(r'^(```|~~~).*?^\1', '', '\n\n'.join(shown(path)), flags=re.S|re.M)
        named = re.search(r'^output-file: (\S+)', text, re.M)
        self.out = (path.parent/(named[1] if named else path.stem+'.html')).relative_to(folder).as_posix()
        self.ids = set(re.findall(r'\bid="([^"]+)"', text)+re.findall(r'\{[^}]*#([\w.-]+)[^}]*\}', text))
        for h in re.findall(r'^#{1,6} +(.*?)(?: *\{.*\})? *$', text, re.M):
            at,n = heading_id(h.replace('`', '')),0
            while (one := f'{at}-{n}' if n else at) in self.ids: n += 1
            self.ids.add(one)
        plain = re.sub(r'(`+)[^`]+\1', 'code', text)
        self.links = re.findall(r'\]\(\s*<?([^)\s>]+)>?[^)]*\)', plain)+re.findall(r'(?:src|href)="([^"]+)"', plain)
        self.nested = re.findall(r'\[\[`([^`]+)`\]\([^)]*\)\]\(', text)
        self.refs = re.findall(r'(?<![\w@])@(?:fig|tbl|eq|sec|lst)-[\w-]+', plain)

def addresses():
    "Where the site is, and where the source is."
    from configparser import ConfigParser
    cfg = ConfigParser(delimiters=['='])
    cfg.read(root/'settings.ini', encoding='utf-8')
    cfg = cfg['DEFAULT']
    return f"{cfg['doc_host']}{cfg['doc_baseurl']}/",f"{cfg['git_url']}/blob/{cfg['branch']}/"

def dead(pages, folder):
    "Links of pages of the docs that lead nowhere: to files, to pages and anchors of the site by their address, and to lines of the source. Other addresses are not visited."
    site,code = addresses()
    by_file,by_out = {p.file:p for p in pages},{p.out:p for p in pages}
    if len(by_out)<len(pages): yield f"two pages have the same name on the site: {sorted({p.out for p in pages if by_out[p.out] is not p})}"
    for p in pages:
        yield from (f'{p.file}: {o} is a cross reference that nothing resolves' for o in p.refs if o[1:] not in p.ids)
        yield from (f'{p.file}: `{o}` is a symbol, which nbdev links by itself, inside a link: use other words there' for o in p.nested)
        for url in p.links:
            to,_,at = url.partition('#')
            if url.startswith(code):
                f,line = root/to.removeprefix(code),at.removeprefix('L') or '1'
                if not f.is_file() or not line.isdigit() or int(line)>len(f.read_text(encoding='utf-8').splitlines()): yield f'{p.file}: no such line of the source: {url}'
                continue
            if url.startswith(site): target = by_out.get(to.removeprefix(site) or 'index.html')
            elif re.match(r'[a-z][a-z0-9+.-]*:', url, re.I): continue
            else:
                at_file = (folder/p.file).parent/to if to else folder/p.file
                inside = folder.resolve() in at_file.resolve().parents
                name = at_file.resolve().relative_to(folder.resolve()).as_posix() if inside else ''
                if not at_file.is_file() or not inside: yield f'{p.file}: nothing at {url}'; continue
                target = by_file.get(name)
            if target is None and (url.startswith(site) or at): yield f'{p.file}: no such page: {url}'
            elif target and at and at not in target.ids: yield f'{p.file}: {target.file} has no anchor for {url}'

def pages():
    "Every link of the pages in `_proc` leads somewhere. Dead ones are planted to see that they would be found."
    folder = root/'_proc'
    ready = [Page(o, folder) for o in sorted((*folder.rglob('*.ipynb'),*folder.rglob('*.md')))]
    if {p.name for p in paths}-{o.file for o in ready}: yield 'not every notebook is in _proc: run checks.py docs first'; return
    wrong,(site,code) = list(dead(ready, folder)),addresses()
    yield from wrong
    planted = ['nowhere.ipynb', 'figures/nowhere.png', '../README.md', 'index.ipynb#nowhere', '#nowhere', f'{site}nowhere.html', f'{site}index.html#nowhere', f'{code}nowhere.py', f'{code}settings.ini#L99999']
    page = next(o for o in ready if o.file=='index.ipynb')
    page.links,page.refs,page.nested = planted,['@fig-nowhere'],['nowhere_inside']
    found = [o for o in dead(ready, folder) if o not in wrong]
    for o in (*planted,*page.refs,*page.nested):
        if not any(o in e for e in found): yield f'this check is blind: it does not find {o}'

def site():
    "The site that Quarto made has every page, and what its pages link to below them is there."
    folder,built = root/'_proc',root/'_docs'
    for o in sorted((*folder.rglob('*.ipynb'),*folder.rglob('*.md'))):
        page = Page(o, folder)
        if not (built/page.out).is_file(): yield f'{page.file}: the site has no {page.out}'
    for o in sorted(built.rglob('*.html')):
        for url in set(re.findall(r'(?:src|href)="([^"#?]+)', o.read_text(encoding='utf-8'))):
            if not re.match(r'[a-z][a-z0-9+.-]*:|//', url, re.I) and not (o.parent/unquote(url)).exists(): yield f'{o.relative_to(built)}: nothing at {url}'

def wheel(file):
    names = set(zipfile.ZipFile(file).namelist())
    for p in sorted((root/'veloxquant_mlx').rglob('*.py')):
        if p.relative_to(root).as_posix() not in names: yield f'{Path(file).name} lacks {p.relative_to(root)}'
    tests = [o for o in names if o.endswith('.ipynb')]
    if tests: yield f'{Path(file).name} holds notebooks: {tests}'

def count():
    n = sum(skipped(nb) for _,nb in books())
    print(len(paths)-n, n)
    return []

if __name__=='__main__':
    todo = dict(executed=executed, order=order, links=links, titles=titles, sidebar=sidebar, lengths=lengths, docments=docments, docs=docs, pages=pages, site=site, wheel=wheel, count=count)
    if len(sys.argv)<2 or sys.argv[1] not in todo: sys.exit(__doc__)
    if not paths: sys.exit('no notebooks')
    wrong = list(todo[sys.argv[1]](*sys.argv[2:]))
    if wrong: sys.exit('\n'.join(wrong))
    if sys.argv[1]!='count': print(f'{sys.argv[1]}: {len(paths)} notebooks, nothing wrong')
