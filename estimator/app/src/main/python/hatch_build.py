"""Makes the Java that the wheel brings: a runtime of the modules that are needed, with Headroom linked into it.

Headroom and its libraries become one module of the runtime's image, and the classes that common commands load are
archived with it. Such an archive stays valid wherever pip puts the files; one of jars on a class path would not, as
it remembers their folders and times.

Reads the jars that ``mvn package`` leaves in the app module's target folder. Needs a JDK (``JAVA_HOME`` or ``java`` on
the path).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "dev.headroom"
MAIN = "dev.headroom.app.command"
ARCHIVE = "lib/server/classes.jsa"
"""Where a runtime looks for its archive of classes unless it is told otherwise."""

MOST = 45 << 20
"""Bytes that the wheel may have."""

BINDINGS = {"cudart", "cublas", "cublasLt", "cudnn", "nvrtc", "nvml"}
"""CUDA's libraries that are called; bindings of the others are left out."""

NOT_NEEDED = {"java.desktop", "java.sql"}
"""Plots want the one, and parts of libraries that nothing here uses the other."""

PRUNED = "it/unimi/dsi/fastutil/"
"""A library of thousands of classes, of which those come along that something refers to."""

LEFT_OUT = re.compile(r"META-INF/(MANIFEST\.MF|maven/|native-image/|versions/.*module-info)|module-info")


class RuntimeHook(BuildHookInterface[Any]):
    """Adds the folder ``headroom/runtime`` to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Links the runtime, and says for which systems the wheel is."""
        if self.target_name != "wheel" or version == "editable":
            return
        root = Path(self.root)
        target = (root / "../../../target").resolve()
        runtime = Linker(Path(os.environ.get("HEADROOM_TARGET", target)), root).link()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_{'_'.join(map(str, glibc(runtime)))}_x86_64"
        build_data["force_include"][str(runtime)] = "headroom/runtime"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Refuses a wheel that grew beyond what it may have."""
        size = Path(artifact_path).stat().st_size
        if artifact_path.endswith(".whl") and size > MOST:
            raise RuntimeError(f"the wheel has {size} bytes, more than {MOST}")


class Linker:
    """Makes a runtime from jars: everything it writes lies in ``target/wheel``."""

    def __init__(self, target: Path, python: Path) -> None:
        """Takes the app module's target folder and this one."""
        self.jars = sorted(target.glob("app-*.jar")) + sorted((target / "lib").glob("*.jar"))
        self.jars = [j for j in self.jars if not re.search(r"-(sources|javadoc|tests)\.jar$", j.name)]
        if not self.jars:
            raise RuntimeError(f"{target} holds no jars; build the wheel with mvn -Pwheel package")
        self.work = target / "wheel"
        self.repository = python.parents[4]
        home = os.environ.get("JAVA_HOME")
        self.bin = Path(home, "bin") if home else Path(shutil.which("java") or "java").resolve().parent

    def link(self) -> Path:
        """Returns the runtime's folder; pip asks twice."""
        runtime = self.work / "runtime"
        archive = runtime / ARCHIVE
        if archive.exists() and archive.stat().st_mtime > max(f.stat().st_mtime for f in (*self.jars, Path(__file__))):
            return runtime
        shutil.rmtree(self.work, ignore_errors=True)
        classes = self.work / "classes"
        services = self._merge(classes)
        requires = self._requires(classes)
        module = self.work / "module-info.java"
        module.write_text(_module(requires, services))
        self._tool("javac", "-d", classes, "--patch-module", f"{MODULE}={classes}", module)
        manifest = self.work / "MANIFEST.MF"
        manifest.write_text("Multi-Release: true\n")
        jar = self.work / "headroom.jar"
        version = ("--module-version", self._version())
        self._tool("jar", "--create", "--file", jar, "--manifest", manifest, *version, "-C", classes, ".")
        self._tool(
            *("jlink", "--module-path", jar, "--add-modules", MODULE, "--output", runtime),
            *("--strip-debug", "--no-header-files", "--no-man-pages", "--vm=server"),
        )
        for unused in ("bin/keytool", "bin/jrunscript", "bin/rmiregistry"):
            (runtime / unused).unlink(missing_ok=True)
        self._archive_classes(runtime)
        return runtime

    def _merge(self, classes: Path) -> dict[str, list[str]]:
        """Unpacks all jars into one folder; returns the providers of each service."""
        services: dict[str, list[str]] = {}
        pruned: dict[str, bytes] = {}
        for path in self.jars:
            with zipfile.ZipFile(path) as jar:
                for entry in jar.infolist():
                    name = entry.filename
                    if entry.is_dir() or LEFT_OUT.match(name) or _unused_binding(name):
                        continue
                    if name.startswith(PRUNED):
                        pruned[name] = jar.read(entry)
                    elif re.fullmatch(r"META-INF/services/[\w.$]+", name):
                        words = jar.read(entry).decode().split("\n")
                        provided = [w.strip() for w in words if w.strip() and not w.startswith("#")]
                        services.setdefault(name.rsplit("/", 1)[1], []).extend(provided)
                    elif re.match(r"META-INF/(LICENSE|NOTICE)", name):
                        _write(classes / "META-INF/licenses" / path.stem / Path(name).name, jar.read(entry))
                    else:
                        jar.extract(entry, classes)
        for name in _reachable(classes, pruned):
            _write(classes / name, pruned[name])
        return services

    def _requires(self, classes: Path) -> list[str]:
        """Modules of Java that the classes refer to."""
        options = ("--print-module-deps", "--ignore-missing-deps", "--multi-release", "17", "-q")
        printed = self._tool("jdeps", *options, classes)
        return sorted(set(printed.strip().split("\n")[-1].split(",")) - NOT_NEEDED)

    def _archive_classes(self, runtime: Path) -> None:
        """Archives the classes that usual commands load, as the default archive of the runtime."""
        classes = self.work / "classes.list"
        fixtures = self.repository / "fixtures"
        examples = (fixtures / "models/resnet50-i224.pt2", fixtures / "snapshots/resnet18-b4-i64-sgd.pickle.gz")
        java = runtime / "bin/java"
        start = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable")
        self._tool(java, *start, "-Xshare:off", f"-XX:DumpLoadedClassList={classes}", f"{MAIN}.WarmUp", *examples)
        self._tool(
            *(java, *start, "-Xshare:dump", f"-XX:SharedClassListFile={classes}"),
            f"-XX:SharedArchiveFile={runtime / ARCHIVE}",
        )

    def _version(self) -> str:
        return re.sub(r"^app-|\.jar$", "", self.jars[0].name)

    def _tool(self, name: str | Path, *arguments: object) -> str:
        """Runs a tool of the JDK; returns what it prints."""
        command = [str(self.bin / name) if isinstance(name, str) else str(name), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")
        return done.stdout


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _reachable(classes: Path, library: dict[str, bytes]) -> set[str]:
    """Files of the library that the classes refer to, directly or through others of it."""
    reference = re.compile(PRUNED.encode() + rb"[\w/$]+")
    found: set[str] = set()
    open_ends = [file.read_bytes() for file in classes.rglob("*.class")]
    while open_ends:
        names = {match.decode() + ".class" for match in reference.findall(open_ends.pop())}
        new = (names & library.keys()) - found
        found |= new
        open_ends += [library[name] for name in new]
    return found


def _unused_binding(name: str) -> bool:
    binding = re.fullmatch(r".*/libjni(\w+)\.so", name)
    return binding is not None and binding[1] not in BINDINGS | {"javacpp"}


def _module(requires: list[str], services: dict[str, list[str]]) -> str:
    lines = [f"requires {m};" for m in requires]
    # As a program of the image it is started by its class, so that the archived graph of modules holds.
    lines.append(f"exports {MAIN};")
    for service, providers in sorted(services.items()):
        lines.append(f"uses {service};")
        lines.append(f"provides {service} with {', '.join(dict.fromkeys(providers))};")
    return f"open module {MODULE} {{\n" + "\n".join(lines) + "\n}\n"


def glibc(runtime: Path) -> tuple[int, int]:
    """The oldest C library that all programs and libraries of the runtime work with."""
    versions = [(2, 17)]
    for file in runtime.rglob("*"):
        if file.is_file() and file.read_bytes()[:4] == b"\x7fELF":
            found = re.findall(rb"GLIBC_(\d+)\.(\d+)", file.read_bytes())
            versions += [(int(major), int(minor)) for major, minor in found]
    return max(versions)
