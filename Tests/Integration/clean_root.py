#!/usr/bin/env python3
"""Debian as it is right after installation, in a folder: where the tests install, use and remove the package.

`clean_root.py` fetches what is missing below `.cache/debian`, a root for each release; `clean_root.py PACKAGE.deb` fetches the packages
that one depends on as well. That needs the network and root; the tests themselves need no network any more. A root is never changed
afterwards: each test works in a copy.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("DECK_DEBIAN_CACHE") or ROOT / ".cache" / "debian")
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
USER, IDENTITY = "tester", 1000
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
APT = ["apt-get", "-qq", "-y", "-o", "APT::Sandbox::User=root", "-o", "Dpkg::Use-Pty=0", "--no-install-recommends"]


class RootError(Exception):
    """A root could not be made, or a command in it failed."""


def command(words, **options):
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise RootError(f"{' '.join(map(str, words))} ended with {result.returncode}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}")
    return result


def fetch(release):
    """Makes the root of a release, unless it is there; one that was interrupted is begun again."""
    path = CACHE / release
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    half = pathlib.Path(tempfile.mkdtemp(prefix=f"{release}.", dir=CACHE))
    half.chmod(0o755)
    try:
        command(["debootstrap", "--variant=minbase", release, half, MIRROR])
        try:
            half.rename(path)
        except OSError:
            # Another run was faster.
            if not path.exists():
                raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return path


def fetch_dependencies(release, package):
    """Downloads what a package depends on into the root's own store of packages, without installing any of it."""
    path = fetch(release)
    copy = path / "tmp" / package.name
    shutil.copy(package, copy)
    download = ["/usr/sbin/chroot", path, *APT, "--download-only", "install", f"/tmp/{package.name}"]
    try:
        try:
            command(download, env=ENVIRONMENT)
        except RootError:
            # An older root may ask for versions that the mirror has replaced since.
            command(["/usr/sbin/chroot", path, *APT, "update"], env=ENVIRONMENT)
            command(download, env=ENVIRONMENT)
    finally:
        copy.unlink()


class CleanRoot:
    """A copy of a release's root; a context manager, with which it goes."""

    def __init__(self, release):
        if not (CACHE / release).exists():
            raise RootError(f"There is no {RELEASES[release]} in {CACHE}; scripts/test fetches it, or: sudo {__file__}")
        self.release = release
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=f"deck-{release}-"))
        self.mounts = []

    def __enter__(self):
        try:
            command(["cp", "-a", "--reflink=auto", f"{CACHE / self.release}/.", self.path])
            # Programs look for themselves there; the rest of the computer stays outside.
            self._mount("--bind", "/proc", "proc")
            for device in ("null", "zero", "urandom", "random"):
                node = self.path / "dev" / device
                if not node.exists():
                    node.touch()
                self._mount("--bind", f"/dev/{device}", f"dev/{device}")
            self.root("useradd", "--create-home", "--uid", IDENTITY, USER)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _mount(self, *words):
        target = self.path / words[-1]
        command(["mount", *words[:-1], target])
        self.mounts.append(target)

    def close(self):
        for target in reversed(self.mounts):
            command(["umount", "--lazy", target])
        self.mounts = []
        shutil.rmtree(self.path, ignore_errors=True)

    def root(self, *words):
        """Runs a command as root in there."""
        return command(["/usr/sbin/chroot", self.path, *words], env=ENVIRONMENT)

    def apt(self, *words):
        """Runs apt, which finds everything downloaded already."""
        return self.root(*APT, *words)

    def as_user(self, *words):
        """The command line that runs `words` as the ordinary user in there; the process keeps its id."""
        return ["/usr/sbin/chroot", f"--userspec={IDENTITY}:{IDENTITY}", f"--groups={IDENTITY}", str(self.path), *map(str, words)]

    @property
    def user_environment(self):
        """What a login gives a user, and nothing that leads out."""
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": f"/home/{USER}", "USER": USER, "LANG": "C.UTF-8", "TERM": "xterm-256color"}

    def files(self):
        """Every path in there, without those of the user, of the kernel, and the records and caches that apt and others keep of their work."""
        outside = ("/home", "/proc", "/dev", "/tmp", "/run", "/var/lib/dpkg", "/var/lib/apt", "/var/cache", "/var/log", "/etc/ld.so.cache")
        found = set()
        for folder, folders, names in os.walk(self.path):
            inner = folder.removeprefix(str(self.path))
            folders[:] = [name for name in folders if f"{inner}/{name}" not in outside]
            found.update(f"{inner}/{name}" for name in folders + names if f"{inner}/{name}" not in outside)
        return found


def prepare(release):
    fetch(release)
    for name in sys.argv[1:]:
        fetch_dependencies(release, pathlib.Path(name).resolve())


def main():
    try:
        # Most of the time is spent waiting for the network.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(prepare, RELEASES))
    except RootError as error:
        sys.exit(f"clean_root: {error}")


if __name__ == "__main__":
    main()
