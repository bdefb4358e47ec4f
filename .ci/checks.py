"""Checks that nbdev does not make. Each prints what is wrong and fails, or prints one line.

    checks.py executed    every notebook was run: no gaps, no errors, no paths of a machine
    checks.py order       veloxquant_mlx is imported before mlx in every notebook
    checks.py links       relative links and pictures of the notebooks and pages lead somewhere
    checks.py sidebar     the docs' sidebar has every notebook, in order
    checks.py docs        nbdev can prepare every notebook for the docs (it runs all cells with imports, and the exported ones, but no others)
    checks.py wheel FILE  a wheel has every module
    checks.py count       print the numbers of notebooks that tests run and skip
"""
import ast,json,re,sys,zipfile
from pathlib import Path

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

def sidebar():
    listed = re.findall(r'^\s*-\s+(\S+\.ipynb)\s*$', (root/'nbs'/'sidebar.yml').read_text(encoding='utf-8'), re.M)
    wanted = ['index.ipynb', *(p.name for p in paths if p.name!='index.ipynb')]
    if listed!=wanted: yield f'sidebar.yml lists {listed}, the notebooks are {wanted}'

def docs():
    import tempfile,warnings
    from nbdev.processors import FilterDefaults
    from nbdev.serve_drv import main
    warnings.simplefilter('ignore')
    with tempfile.TemporaryDirectory() as tmp:
        for p in paths:
            try: main((p, Path(tmp)/p.name, FilterDefaults))
            except Exception as e: yield f"{p.name}: {str(e)[:300]}\n  {e.__cause__!r}"

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
    todo = dict(executed=executed, order=order, links=links, sidebar=sidebar, docs=docs, wheel=wheel, count=count)
    if len(sys.argv)<2 or sys.argv[1] not in todo: sys.exit(__doc__)
    if not paths: sys.exit('no notebooks')
    wrong = list(todo[sys.argv[1]](*sys.argv[2:]))
    if wrong: sys.exit('\n'.join(wrong))
    if sys.argv[1]!='count': print(f'{sys.argv[1]}: {len(paths)} notebooks, nothing wrong')
