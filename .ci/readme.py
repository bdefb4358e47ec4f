"""README.md from nbs/index.ipynb and CONTRIBUTING.md from nbs/contributing.ipynb, without Quarto.

    readme.py            write both
    readme.py --check    say how they differ, and fail if they do
    readme.py --command N    print the N-th command: a line of the README's ```sh blocks
"""
import difflib,json,re,sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
made = {'index.ipynb':'README.md', 'contributing.ipynb':'CONTRIBUTING.md'}

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
        if 'text/markdown' in data: yield links(''.join(data['text/markdown']).strip('\n'))
        elif 'image/png' in data: raise SystemExit(f"cell {cell['id']}: draw pictures elsewhere and link them from figures/")
        elif text: yield '\n'.join('    '+l if l else '' for l in text.split('\n'))

def moved(link):
    "A link to a notebook, as seen from the top folder."
    return f"]({made.get(link[1], f'nbs/{link[1]}')}"

def links(text):
    "The text with its links to notebooks as seen from the top folder."
    return re.sub(r'\]\((\w+\.ipynb)', moved, text)

def blocks(nb):
    "The parts of the page, in order."
    for cell in nb['cells']:
        flags,text = split(cell)
        if cell['cell_type']=='markdown' and text: yield links(text)
        if cell['cell_type']!='code' or flags&{'hide','include: false'} or not text: continue
        if 'echo: false' not in flags: yield f'``` python\n{text}\n```'
        if 'output: false' not in flags: yield from outputs(cell)

def render(name):
    nb = json.loads((root/'nbs'/name).read_text(encoding='utf-8'))
    first,*rest = blocks(nb)
    return '\n\n'.join([first, f'<!-- Made from nbs/{name} by .ci/readme.py: edit that notebook instead. -->', *rest])+'\n'

def commands(text):
    "The command lines of the page's sh blocks."
    return [l for b in re.findall(r'^```\s*sh\n(.*?)^```', text, re.S|re.M) for l in b.splitlines() if l.strip() and not l.startswith('#')]

if __name__=='__main__':
    args = sys.argv[1:]
    if args[:1]==['--command']: print(commands((root/'README.md').read_text(encoding='utf-8'))[int(args[1])-1])
    elif args and args!=['--check']: sys.exit(__doc__)
    else:
        wrong = False
        for name,page in made.items():
            file,new = root/page,render(name)
            if not args: file.write_text(new, encoding='utf-8'); continue
            old = file.read_text(encoding='utf-8') if file.exists() else ''
            diff = list(difflib.unified_diff(old.splitlines(), new.splitlines(), page, f'as made from {name}', lineterm=''))
            print('\n'.join(diff) or f'{page} is in step with {name}')
            wrong = wrong or bool(diff)
        sys.exit(wrong)
