"""A user with a service manager of his own: a real `systemd --user` with its bus, in namespaces that hold nothing else and end with the test."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile

from deck import wait_until

USER = 4711
HOME = pathlib.Path("/home/deck")
RUNTIME = pathlib.Path(f"/run/user/{USER}")
# The first process of the namespace: it makes the folders and control groups that a login would find, and waits for the manager.
INIT = r"""
set -e
mount --make-rprivate /
while umount -l /proc 2>/dev/null; do :; done
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /home
mkdir -p /run/systemd/system /run/systemd/unit-root /run/systemd/inaccessible /run/systemd/propagate "$RUNTIME" "$HOME" /home/other
chown "$ID:$ID" "$RUNTIME" "$HOME"
chmod 700 "$RUNTIME" "$HOME"
cat /etc/passwd >/run/passwd
echo "deck:x:$ID:$ID::$HOME:/bin/sh" >>/run/passwd
mount --bind /run/passwd /etc/passwd
mount --bind "$FILES" /home/other
for group in $GROUPS_TO_MAKE; do
    mkdir -p "$group/user"
    echo $$ >"$group/cgroup.procs"
    chown -R "$ID:$ID" "$group/user"
    echo $$ >"$group/user/cgroup.procs"
done
cd "$HOME"
setpriv --reuid "$ID" --regid "$ID" --clear-groups env -i HOME="$HOME" XDG_RUNTIME_DIR="$RUNTIME" PATH="$HOME/.local/bin:/usr/bin:/bin" LANG=C.UTF-8 \
    SYSTEMD_LOG_TARGET=console /lib/systemd/systemd --user --unit=basic.target &
manager=$!
touch /run/begun
# Whatever is left behind by a service is ours to reap.
while kill -0 $manager 2>/dev/null; do wait -n || true; done
"""


class CannotRun(Exception):
    """This computer does not let the tests make control groups, without which there is no manager."""


class UserManager:
    """`start` it, `run` commands as its user, `stop` it. `files` is a folder of this computer that its user sees as /home/other."""

    def __init__(self, log):
        self.log_path = log
        self.files = pathlib.Path(tempfile.mkdtemp(prefix="deck-manager-"))
        self.files.chmod(0o755)
        self._process = None
        self._groups = []

    def start(self):
        self._groups = self._make_groups()
        environment = {**os.environ, "HOME": str(HOME), "RUNTIME": str(RUNTIME), "ID": str(USER), "FILES": str(self.files),
                       "GROUPS_TO_MAKE": " ".join(map(str, self._groups))}
        self._log = open(self.log_path, "ab")
        self._process = subprocess.Popen(
            ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "bash", "-c", INIT], env=environment, stdin=subprocess.DEVNULL,
            stdout=self._log, stderr=self._log)
        wait_until(lambda: self._process.poll() is not None or self._init(), "the first process of the namespace")
        asked = "systemctl", "--user", "is-active", "basic.target"
        wait_until(lambda: self._process.poll() is not None or self.run(*asked, code=None).returncode == 0, "the user's manager", seconds=30)
        if self._process.poll() is not None:
            raise AssertionError(f"the manager ended:\n{self.log}")
        return self

    @property
    def log(self):
        return pathlib.Path(self.log_path).read_text(errors="replace")

    def _make_groups(self):
        """A control group in each hierarchy that systemd uses."""
        root = pathlib.Path("/sys/fs/cgroup")
        unified = (root / "cgroup.controllers").exists()
        parents = [root] if unified else [root / name for name in ("systemd", "unified") if (root / name).is_dir()]
        groups = []
        try:
            for parent in parents:
                group = parent / f"deck-test-{os.getpid()}-{self.files.name}"
                group.mkdir()
                groups.append(group)
                with open(group / "cgroup.procs", "a"):
                    pass
        except OSError as error:
            self._remove_groups(groups)
            raise CannotRun(f"no control groups can be made here ({error})") from None
        if not groups:
            raise CannotRun("this computer has no control groups for services")
        return groups

    @staticmethod
    def _remove_groups(groups):
        for group in groups:
            for folder, _, _ in os.walk(group, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    pass   # a process in it has not ended yet; see stop

    def _init(self):
        """The first process inside, once it has begun."""
        try:
            children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        except OSError:
            return None
        return children[0] if children and pathlib.Path(f"/proc/{children[0]}/root/run/begun").exists() else None

    def run(self, *words, code=0, stdin="", timeout=30, environment=None):
        """Runs a command as the user, in the home folder; fails when it ends with another code than `code` (`None`: any)."""
        variables = {"HOME": HOME, "XDG_RUNTIME_DIR": RUNTIME, "PATH": f"{HOME}/.local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **(environment or {})}
        command = ["nsenter", "--target", self._init() or "0", "--pid", "--mount", "setpriv", f"--reuid={USER}", f"--regid={USER}",
                   "--clear-groups", "env", "-i", f"--chdir={HOME}", *(f"{name}={value}" for name, value in variables.items()), *map(str, words)]
        completed = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout)
        if code is not None and completed.returncode != code:
            raise AssertionError(f"{shlex.join(map(str, words))} ended with {completed.returncode}\n{completed.stdout}\n{completed.stderr}")
        return completed

    def systemctl(self, *words, **options):
        return self.run("systemctl", "--user", *words, **options).stdout.strip()

    def show(self, unit, name):
        return self.systemctl("show", "-p", name, "--value", unit)

    def stop(self):
        if self._process and self._process.poll() is None:
            self._process.kill()   # its namespace ends with it
        if self._process:
            self._process.wait()
            self._log.close()
        self._remove_groups_when_empty()
        shutil.rmtree(self.files, ignore_errors=True)

    def _remove_groups_when_empty(self):
        def gone():
            self._remove_groups([group for group in self._groups if group.exists()])
            return not any(group.exists() for group in self._groups)
        wait_until(gone, "the end of the control groups", seconds=10)
