"""scripts/install and scripts/uninstall in a home of their own: what they write, that they write it once, and that nothing else goes."""

import gzip
import os
import shutil
import subprocess

from deck import CLIENT, DeckTest, Node, NODE, PROGRAMS, Program, ROOT


class InstallCase(DeckTest):
    def setUp(self):
        super().setUp()
        self.owner = self.home("owner")
        self.prefix = self.owner.path / ".local"
        self.manifest = self.prefix / "share" / "doc" / "codex-deck" / "install-manifest"

    def script(self, name, *words, code=0, prefix=True, stdin=subprocess.DEVNULL):
        """Runs a script as the owner of the home, for whom no service manager runs, and returns what it said."""
        where = ["--prefix", self.prefix] if prefix is True else []
        completed = subprocess.run(
            [ROOT / "scripts" / name, *where, *words], env=self.owner.environment, stdin=stdin, capture_output=True, text=True, timeout=50)
        if completed.returncode != code:
            raise AssertionError(f"{name} {words} ended with {completed.returncode}\n{completed.stdout}\n{completed.stderr}")
        self.assertEqual(completed.stdout if code == 0 and "--help" not in words else "", "")
        return completed.stdout + completed.stderr

    def install(self, *words, programs=PROGRAMS, **options):
        return self.script("install", "--bin-dir", programs, *words, **options)

    def tree(self):
        """Everything in the home, but for the index of desktop entries that desktops keep for themselves."""
        return {path.relative_to(self.owner.path): path.is_dir() for path in self.owner.path.rglob("*") if path.name != "mimeinfo.cache"}

    def installed(self, kind="f"):
        return {line[2:] for line in self.manifest.read_text().splitlines() if line.startswith(kind + " ")}


class InstallTests(InstallCase):
    limit = 120

    def test_it_can_be_undone_to_the_last_folder(self):
        foreign = self.prefix / "share" / "applications" / "other.desktop"
        foreign.parent.mkdir(parents=True)
        foreign.write_text("[Desktop Entry]\n")
        before = self.tree()
        said = self.install("--no-enable")
        self.assertIn("No systemd user manager runs here", said)
        written = {str(self.owner.path / path) for path, is_folder in self.tree().items() if path not in before and not is_folder}
        self.assertEqual(self.installed(), written, "the manifest is what there is")
        for name in ("bin/decknode", "bin/deckclient", "share/man/man1/decknode.1.gz", "share/bash-completion/completions/deckclient",
                     "share/systemd/user/codex-deck-node.service", "share/systemd/user/codex-deck-client.socket",
                     "share/applications/codex-deck.desktop", "share/icons/hicolor/scalable/apps/codex-deck.svg"):
            self.assertIn(str(self.prefix / name), written)
        said = self.script("uninstall")
        self.assertIn(f"Removed {len(written)} files", said)
        self.assertEqual(self.tree(), before)
        self.assertIn("Nothing that scripts/install wrote", self.script("uninstall"))
        self.assertEqual(self.tree(), before)

    def test_what_is_installed_works(self):
        self.install("--no-enable")
        unit = (self.prefix / "share/systemd/user/codex-deck-node.service").read_text()
        self.assertIn(f"\nExecStart={self.prefix}/bin/decknode serve\n", unit)
        self.assertNotIn("@bindir@", unit)
        program = Program(self.prefix / "bin" / "deckclient", self.owner)
        self.assertEqual(program.run("--version").out, Program(CLIENT, self.owner).run("--version").out)
        self.assertIn(b".TH", gzip.decompress((self.prefix / "share/man/man1/deckclient.1.gz").read_bytes()))
        for path in self.installed():
            mode = os.stat(path).st_mode & 0o777
            self.assertIn(mode, (0o644, 0o755), path)
            self.assertEqual(mode == 0o755, path.startswith(f"{self.prefix}/bin/"), path)

    def test_a_second_time_changes_nothing(self):
        self.install("--no-enable")
        before = {path: os.stat(path).st_ino for path in self.installed() if path != str(self.manifest)}
        content = self.manifest.read_text()
        self.assertIn("of which 0 are new or changed; 0 old ones removed", self.install("--no-enable"))
        self.assertEqual({path: os.stat(path).st_ino for path in before}, before)
        self.assertEqual(self.manifest.read_text(), content)

    def test_an_upgrade_replaces_what_runs_and_removes_what_is_no_longer_part_of_it(self):
        self.install("--no-enable")
        obsolete = self.prefix / "share" / "doc" / "codex-deck" / "obsolete"
        obsolete.write_text("")
        with open(self.manifest, "a") as manifest:
            manifest.write(f"f {obsolete}\n")
        newer = self.owner.path / "newer"
        newer.mkdir()
        for program in (NODE, CLIENT):
            shutil.copy(program, newer)
            with open(newer / program.name, "ab") as file:
                file.write(b"\0")
        node = Node(self.owner)
        node.binary = self.prefix / "bin" / "decknode"
        node.start(demo=True)
        self.processes.append(node.running)
        self.assertIn("of which 2 are new or changed; 1 old ones removed", self.install("--no-enable", programs=newer))
        self.assertFalse(obsolete.exists())
        node.run("status")
        self.assertEqual(os.stat(node.binary).st_size, os.stat(newer / "decknode").st_size)

    def test_a_damaged_manifest_leads_nowhere_else(self):
        self.install("--no-enable")
        outside = self.owner.path / "outside"
        outside.write_text("mine")
        with open(self.manifest, "a") as manifest:
            manifest.write(f"f {outside}\nf {self.prefix}/../outside\nf {self.prefix}/bin/../../outside\nd {self.owner.path}\nnonsense\nf\n\n")
        self.script("uninstall")
        self.assertEqual(outside.read_text(), "mine")

    def test_state_goes_only_when_told_so_twice(self):
        self.install("--no-enable")
        node = Program(self.prefix / "bin" / "decknode", self.owner)
        node.run("pair", "--link")
        node.run("config", "set", "titles", "hidden")
        saved = self.owner.path / "data" / "codex-deck" / "conversations" / "one.md"
        saved.parent.mkdir(parents=True)
        saved.write_text("# One\n")
        self.assertIn("say --yes as well", self.script("uninstall", "--purge", code=1))
        self.assertTrue(self.manifest.exists(), "nothing has happened")
        self.assertIn(f"stay in {self.owner.state}", self.script("uninstall"))
        self.assertTrue((self.owner.state / "host.json").exists())
        self.script("uninstall", "--purge", "--yes")
        self.assertFalse(self.owner.state.exists() or self.owner.config.exists())
        self.assertEqual(saved.read_text(), "# One\n", "what the owner saved is no state")
        self.assertIn("there was no state", self.script("uninstall", "--purge", "--yes"))

    def test_the_home_folder_is_the_usual_place(self):
        self.install("--no-enable", prefix=None)
        self.assertTrue((self.owner.path / ".local" / "bin" / "decknode").exists())
        self.script("uninstall", prefix=None)
        self.assertFalse((self.owner.path / ".local").exists())


class RefusalTests(InstallCase):
    def test_wrong_words_change_nothing(self):
        before = self.tree()
        for name, words in (("install", ["--nonsense"]), ("install", ["--enable=both"]), ("install", ["--bin-dir"]), ("uninstall", ["more"])):
            self.assertIn(f"{name}: ", self.script(name, *words, code=2))
        for name in ("install", "uninstall"):
            self.assertIn(f"scripts/{name} --prefix FOLDER", self.script(name, "--help"))
        self.assertEqual(self.tree(), before)

    def test_nothing_is_half_installed(self):
        before = self.tree()
        self.assertIn("there is no decknode", self.install("--no-enable", programs=self.owner.path, code=1))
        self.prefix = self.owner.path / "with space"
        self.assertIn("the prefix must be", self.install("--no-enable", code=1))
        self.assertEqual(self.tree(), before)

    def test_without_a_manager_enabling_fails_after_all_is_installed(self):
        self.assertIn("there is no manager", self.install("--enable", code=1))
        self.assertTrue((self.prefix / "bin" / "decknode").exists())
