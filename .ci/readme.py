"""README.md from nbs/index.ipynb, without Quarto.

    readme.py            write README.md
    readme.py --check    say how README.md differs, and fail if it does
    readme.py --command N    print the N-th command: a line of the README's ```sh blocks
"""
import difflib,json,re,sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
readme = root/'README.md'
note = '<!-- Made from nbs/index.ipynb by .ci/readme.py: edit that notebook instead. -->'

def split(cell):
    "The directives of a cell (lines that start with `#|`), and the rest."
    lines = ''.join(cell['source']).strip('\n').split('\n')
    isdir = lambda o: re.match(r'#\s*\|', o)
    return {re.sub(r'#\s*\|\s*', '', o).strip() for o in lines if isdir(o)}, '\n'.join(o for o in lines if not isdir(o)).strip('\n')

def outputs(cell):
    "The printed outputs and values of a cell, as text."
    for o in cell.get('outputs', []):
        data = o.get('data', {})
        text = ''.join(o.get('text') or data.get('text/plain') or '').rstrip('\n')
        if 'text/markdown' in data: yield ''.join(data['text/markdown']).strip('\n')
        elif 'image/png' in data: raise SystemExit(f"index.ipynb, cell {cell['id']}: draw pictures elsewhere and link them from figures/")
        elif text: yield '\n'.join('    '+l if l else '' for l in text.split('\n'))

def blocks(nb):
    "The parts of the page, in order."
    for cell in nb['cells']:
        flags,text = split(cell)
        if cell['cell_type']=='markdown' and text: yield re.sub(r'\]\((\d\w*\.ipynb)', r'](nbs/\1', text)   # notebooks are one folder down
        if cell['cell_type']!='code' or flags&{'hide','include: false'} or not text: continue
        if 'echo: false' not in flags: yield f'``` python\n{text}\n```'
        if 'output: false' not in flags: yield from outputs(cell)

def render():
    nb = json.loads((root/'nbs'/'index.ipynb').read_text(encoding='utf-8'))
    first,*rest = blocks(nb)
    return '\n\n'.join([first, note, *rest])+'\n'

def commands(text):
    "The command lines of the page's sh blocks."
    return [l for b in re.findall(r'^```\s*sh\n(.*?)^```', text, re.S|re.M) for l in b.splitlines() if l.strip() and not l.startswith('#')]

if __name__=='__main__':
    args = sys.argv[1:]
    if args[:1]==['--command']: print(commands(readme.read_text(encoding='utf-8'))[int(args[1])-1])
    elif args==['--check']:
        old = readme.read_text(encoding='utf-8') if readme.exists() else ''
        diff = list(difflib.unified_diff(old.splitlines(), render().splitlines(), 'README.md', 'as made from index.ipynb', lineterm=''))
        print('\n'.join(diff) or 'README.md is in step with index.ipynb')
        sys.exit(bool(diff))
    elif args: sys.exit(__doc__)
    else: readme.write_text(render(), encoding='utf-8')
