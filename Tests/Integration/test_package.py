"""The Debian package: what is in it, and its whole life on a computer that has nothing but Debian.

DECK_DEB names the package; `scripts/build-deb` prints it. The roots come from clean_root.py.
"""

import filecmp
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from clean_root import CleanRoot, USER
from deck import DeckTest, ROOT
from terminal import Terminal

TITLES = ("login test", "importer", "release notes", "memory leak", "database schema", "payment module")
PROGRAMS = ("decknode", "deckclient")
UNITS = "usr/lib/systemd/user"
STRICTEST_EXPOSURE = 2.5


def load_tests(loader, tests, pattern):
    """Installing packages takes a real root, not that of a user namespace: scripts/test runs these tests a second time, with sudo."""
    return unittest.TestSuite() if "DECK_USER_NAMESPACE" in os.environ else tests


def package():
    path = os.environ.get("DECK_DEB")
    if not path or not pathlib.Path(path).is_file():
        raise AssertionError("DECK_DEB must name the package; scripts/build-deb makes it.")
    return pathlib.Path(path).resolve()


def run(*words, code=0, **options):
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=100, **options)
    if result.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout + result.stderr


class PackageTest(DeckTest):
    """A test with the package unpacked in `self.tree`."""

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="deck-package-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tree = self.folder / "tree"
        run("dpkg-deb", "--raw-extract", package(), self.tree)

    def field(self, name):
        return run("dpkg-deb", "--field", package(), name).strip()


class ContentTests(PackageTest):
    limit = 120

    def test_lintian_finds_nothing(self):
        user = [] if os.geteuid() else ["--allow-root"]
        self.assertEqual(run("lintian", *user, "--fail-on", "error,warning", package()), "")

    def test_needs_no_swift(self):
        self.assertNotIn("swift", self.field("Depends"))
        for program in PROGRAMS:
            needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", self.tree / "usr/bin" / program))
            self.assertIn("libssl.so.3", needed)
            self.assertFalse([name for name in needed if "swift" in name.lower() or "dispatch" in name], needed)
        version = (ROOT / "packaging" / "version")
        self.assertEqual(run(version).strip(), self.field("Version").split("-")[0].replace("~", "-"))

    def test_refuses_programs_that_need_swift(self):
        (self.folder / "library.c").write_text("int runtime(void) { return 0; }\n")
        (self.folder / "program.c").write_text("int runtime(void);\nint main(void) { return runtime(); }\n")
        run("gcc", "-shared", "-o", "libswiftCore.so", "library.c", cwd=self.folder)
        for program in PROGRAMS:
            run("gcc", "-o", program, "program.c", "-L.", "-lswiftCore", cwd=self.folder)
        refused = run(ROOT / "scripts/build-deb", "--from", ".", "--output", "dist", code=1, cwd=self.folder)
        self.assertIn("decknode needs the Swift runtime", refused)
        self.assertFalse((self.folder / "dist").exists())
        self.assertIn("there is no decknode in", run(ROOT / "scripts/build-deb", "--from", self.tree, code=1))

    def test_the_same_programs_make_the_same_package(self):
        epoch = str(int((self.tree / "usr").stat().st_mtime))
        build = [ROOT / "scripts/build-deb", "--from", self.tree / "usr/bin", "--output", self.folder / "again"]
        run("sh", "-c", 'umask 077; exec "$@"', "sh", *build, env={**os.environ, "TZ": "Pacific/Auckland", "LC_ALL": "C", "SOURCE_DATE_EPOCH": epoch})
        again = self.folder / "again" / package().name
        self.assertTrue(filecmp.cmp(again, package(), shallow=False), "another time zone, locale and umask make another package")

    def test_manuals(self):
        for program in PROGRAMS:
            page = self.tree / f"usr/share/man/man1/{program}.1.gz"
            self.assertIn(f'"{program} - ', run("lexgrog", page))
            # A pager-less terminal of 80 columns; any warning of the formatter comes with the text.
            text = run("man", "--warnings", "-E", "UTF-8", "-l", page, env={**os.environ, "MANWIDTH": "80", "MAN_KEEP_FORMATTING": ""})
            self.assertNotIn("<standard input>", text)
            self.assertNotIn("warning:", text)
            self.assertIn("EXIT STATUS", re.sub(".\b", "", text))
            commands = re.findall(r"^  (\S+)  ", run(self.tree / "usr/bin" / program, "--help").split("Commands:")[1].split("\n\n")[0], re.M)
            self.assertGreater(len(commands), 10)
            source = gzip.decompress(page.read_bytes()).decode().replace("\\-", "-")
            for command in commands:
                self.assertIn(f'.SS "{command}"', source)

    def test_desktop(self):
        applications = self.tree / "usr/share/applications"
        self.assertEqual(run("desktop-file-validate", applications / "codex-deck.desktop"), "")
        run("update-desktop-database", applications)
        self.assertIn("x-scheme-handler/codexdeck=codex-deck.desktop;", (applications / "mimeinfo.cache").read_text())
        icon = self.tree / "usr/share/icons/hicolor/scalable/apps/codex-deck.svg"
        self.assertTrue(xml.etree.ElementTree.parse(icon).getroot().tag.endswith("svg"))
        for metainfo in (self.tree / "usr/share/metainfo").iterdir():
            self.assertIn("Validation was successful", run("appstreamcli", "validate", "--no-net", "--no-color", metainfo))
            document = xml.etree.ElementTree.parse(metainfo)
            self.assertEqual(document.find("releases/release").get("version"), run(ROOT / "packaging/version").strip())
            self.assertEqual({element.text for element in document.findall("provides/binary")}, set(PROGRAMS))

    def test_units(self):
        # Read where they were unpacked, with the programs there; everything else is as it will be installed.
        units = self.folder / "units"
        shutil.copytree(self.tree / UNITS, units)
        for path in units.iterdir():
            text = path.read_text()
            self.assertNotIn("@bindir@", text)
            path.write_text(text.replace("=/usr/bin/deck", f"={self.tree}/usr/bin/deck"))
        self.assertEqual({path.suffix for path in units.iterdir()}, {".service", ".socket"})
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder), "SYSTEMD_LOG_COLOR": "0"}
        self.assertEqual(run("systemd-analyze", "--user", "--man=no", "verify", *sorted(units.iterdir()), env=environment), "")
        services = sorted(units.glob("*.service"))
        self.assertEqual([path.name for path in services], ["codex-deck-client.service", "codex-deck-node.service"])
        for service in services:
            report = run("systemd-analyze", "--user", "--no-pager", "--offline=true", "security", service, env=environment)
            exposure = float(re.search(r"Overall exposure level for .*?: ([\d.]+)", report)[1])
            self.assertLessEqual(exposure, STRICTEST_EXPOSURE, report)

    def test_what_a_tag_releases(self):
        version = run(ROOT / "packaging/version").strip()
        changelog = self.folder / "CHANGELOG.md"
        changelog.write_text(f"# Changelog\n\n## Unreleased\n- later\n\n## [{version}] - 2026-01-31\n\n### Added\n- this\n\n## [0.0.1]\n- before\n")
        notes = ROOT / "packaging/release-notes"
        self.assertEqual(run(notes, f"v{version}", env={**os.environ, "CHANGELOG": str(changelog)}), "### Added\n- this\n")
        self.assertIn("the tag is v99.0.0", run(notes, "v99.0.0", code=1))
        self.assertIn("the tag is", run(notes, version, code=1))
        changelog.write_text(f"# Changelog\n\n## Unreleased\n- later\n\n## {version} - 2026-01-31\n\n## 0.0.1\n- before\n")
        self.assertIn("has no section", run(notes, f"v{version}", code=1, env={**os.environ, "CHANGELOG": str(changelog)}))

    def test_a_user_s_own_folder(self):
        destination, prefix = self.folder / "home", "/home/somebody/.local"
        listed = run(ROOT / "packaging/stage", destination, prefix, self.tree / "usr/bin").split()
        written = {str(path).removeprefix(str(destination)) for path in destination.rglob("*") if path.is_file()}
        self.assertEqual(set(listed), written)
        self.assertTrue(all(path.startswith(prefix + "/") for path in listed))
        entry = (destination / prefix[1:] / "share/applications/codex-deck.desktop").read_text()
        self.assertIn(f"\nExec={prefix}/bin/deckclient open-link --hold -- %u\n", entry)
        for unit in (destination / prefix[1:] / "share/systemd/user").glob("*.service"):
            self.assertIn(f"{prefix}/bin/", unit.read_text())
        self.assertIn("the prefix must be", run(ROOT / "packaging/stage", destination, "/home/some body", self.tree / "usr/bin", code=1))
        self.assertIn("build it first", run(ROOT / "packaging/stage", destination, prefix, self.folder, code=1))


class WorkflowTests(DeckTest):
    def test_what_the_forge_runs(self):
        folder = ROOT / ".github/workflows"
        rules = "{extends: default, rules: {line-length: {max: 150}}}"
        self.assertEqual(run("yamllint", "--strict", "-d", rules, folder), "")
        for name in ("ci.yml", "release.yml"):
            text = (folder / name).read_text()
            self.assertIn("run: ./scripts/test\n", text)
            self.assertIn("\npermissions:\n  contents: read\n", text, "a job may do no more than it must")
            for action in re.findall(r"uses: (\S+)", text):
                self.assertRegex(action, r"@v\d+\.\d+\.\d+$", "an action is of one version, not of whatever comes next")
            for script in re.findall(r"\./((?:scripts|packaging|\.github)/[\w-]+)", text):
                self.assertTrue(os.access(ROOT / script, os.X_OK), script)


class CompletionTests(PackageTest):
    """A word completed by the Tab key, in a terminal, by each shell as it comes."""

    def complete(self, words, *lines):
        home = self.home("shell")
        (home.path / ".zshrc").touch()
        environment = {"PATH": f"{self.tree}/usr/bin:{os.environ['PATH']}", "PS1": "$ ", "fish_greeting": ""}
        with Terminal(home, 100, 30, words, environment=environment) as terminal:
            for line in lines:
                terminal.line(line)
            terminal.line("echo rea''dy")
            terminal.wait_for(lambda screen: "\nready" in screen, 20)
            for typed, expected in (
                ("decknode pa", "decknode pair "), ("decknode relay en", "decknode relay enable"), ("decknode pair --rot", "decknode pair --rotate"),
                ("decknode --log-level deb", "decknode --log-level debug"), ("deckclient appr", "deckclient approve"),
            ):
                terminal.type("C-l")
                terminal.type("-l", typed)
                terminal.type("Tab")
                terminal.wait_for(expected.strip(), 20)
                terminal.type("C-u")

    def test_bash(self):
        self.complete(["bash", "--norc"], f"export XDG_DATA_DIRS={self.tree}/usr/share", ". /usr/share/bash-completion/bash_completion")

    def test_zsh(self):
        self.complete(["zsh", "-f"], f"fpath=({self.tree}/usr/share/zsh/vendor-completions $fpath); autoload -Uz compinit; compinit -u -D")

    def test_fish(self):
        self.complete(["fish", "--no-config"], f"set -p fish_complete_path {self.tree}/usr/share/fish/vendor_completions.d")


class LifeTests(PackageTest):
    """Installed by apt into a Debian that has nothing else, used by an ordinary user, removed again."""

    limit = 180

    def live(self, release):
        with CleanRoot(release) as debian:
            before = debian.files()
            shutil.copy(package(), debian.path / "tmp/codex-deck.deb")
            debian.apt("install", "/tmp/codex-deck.deb")
            installed = {path for path in debian.root("dpkg", "-L", "codex-deck").stdout.split() if not (debian.path / path[1:]).is_dir()}
            self.assertGreater(len(installed), 15)
            self.assertEqual(installed & before, set())
            for program in PROGRAMS:
                self.assertNotIn("not found", debian.root("ldd", f"/usr/bin/{program}").stdout)
            self.use(debian)
            own = {path for path in (debian.path / "home" / USER).rglob("*")}
            self.assertTrue(own, "the user has pairings to keep")
            debian.apt("purge", "codex-deck")
            self.assertEqual(installed & debian.files(), set())
            debian.apt("autoremove", "--purge")
            left = debian.files() - before
            self.assertEqual(left, set(), "something is left outside the user's own files")
            self.assertEqual(own, {path for path in (debian.path / "home" / USER).rglob("*")}, "the user's own files are the user's")

    def use(self, debian):
        def user(*words, code=0, stdin=""):
            return run(*debian.as_user(*words), code=code, input=stdin, env=debian.user_environment)
        node = self.spawn(debian.as_user("decknode", "serve", "--demo"), debian.user_environment, self.folder / f"{debian.release}.log")
        user("decknode", "status", "--wait", "15")
        link = user("decknode", "pair", "--link")
        self.assertTrue(link.startswith("codexdeck://pair?"), link)
        user("deckclient", "pair", stdin=link)
        board = user("deckclient", "watch", "--once")
        for title in TITLES:
            self.assertIn(title, board)
        self.assertIn("Demo", user("deckclient", "agents"))
        self.assertRegex(user("decknode", "status"), r"(?i)demo|task")
        user("deckclient", "open", "login test")
        self.assertEqual(node.stop(), 0)
        self.assertIn("decknode serve", user("decknode", "status", code=1))

    def test_debian_12(self):
        self.live("bookworm")

    def test_debian_13(self):
        self.live("trixie")
