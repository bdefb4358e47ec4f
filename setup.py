"Packaging of `veloxquant_mlx`: everything is read from settings.ini, so that nothing is stated twice."
from configparser import ConfigParser
from pathlib import Path
from setuptools import find_packages, setup

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here/"settings.ini", encoding="utf-8")
cfg = parser["DEFAULT"]

def lines(name):
    "The non-empty lines of a setting: one requirement a line, so that environment markers survive."
    return [o.strip() for o in cfg.get(name, "").splitlines() if o.strip()]

setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=(here/"README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    author_email=cfg["author_email"],
    license="Apache-2.0",
    url=cfg["git_url"],
    keywords=cfg["keywords"].split(),
    packages=find_packages(include=[cfg["lib_path"], cfg["lib_path"] + ".*"]),
    python_requires=">=" + cfg["min_python"],
    install_requires=lines("requirements"),
    extras_require={"blas": lines("blas_requirements"), "dev": lines("dev_requirements")},
    entry_points={
        "console_scripts": lines("console_scripts"),
        "nbdev": [f"{cfg['lib_name']}={cfg['lib_path']}._modidx:d"],
    },
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Developers",
        "Programming Language :: Python :: 3",
    ],
    zip_safe=False,
)
