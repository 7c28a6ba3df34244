import Glibc
import Testing

@testable import EventLoop

struct ChildProcessTests {
    @Test func returnsStatusAndBothOutputs() async throws {
        let result = try await run("/bin/sh", ["-c", "echo out; echo err >&2; exit 7"])
        #expect(result.status == .exited(7))
        #expect(!result.succeeded)
        #expect(result.output == Array("out\n".utf8))
        #expect(result.errorOutput == Array("err\n".utf8))
        #expect(!result.wasCut)
    }

    @Test func looksNamesUpInPath() async throws {
        #expect(try await run("true").succeeded)
    }

    @Test func saysWhatIsMissing() async throws {
        await #expect(throws: ChildProcessError.notFound("no-such-program-here")) { try await run("no-such-program-here") }
        await #expect(throws: ChildProcessError.notFound("/nowhere/x")) { try await run("/nowhere/x") }
        await #expect(throws: ChildProcessError.notFound("")) { try await run("") }
        await #expect(throws: ChildProcessError.notExecutable("/etc/passwd")) { try await run("/etc/passwd") }
    }

    @Test func argumentsReachTheChildUnchanged() async throws {
        let result = try await run("/bin/sh", ["-c", "printf '%s|' \"$@\"", "sh", "a b", "", "$HOME", "é'\""])
        #expect(String(decoding: result.output, as: UTF8.self) == "a b||$HOME|é'\"|")
    }

    @Test func environmentAndFolderAreAsGiven() async throws {
        let result = try await withLoop { loop in
            try await ChildProcess.run(
                "/bin/sh", ["-c", "echo $A; pwd; echo ${HOME-unset}"], environment: ["A=b c"], directory: "/usr",
                timeout: .seconds(60), on: loop)
        }
        #expect(String(decoding: result.output, as: UTF8.self) == "b c\n/usr\nunset\n")
    }

    /// More than a pipe holds, both ways at once: neither side may wait for the other for ever.
    @Test func muchInputAndOutputFlowTogether() async throws {
        let bytes = pattern(3 << 20)
        let result = try await run("/bin/cat", input: bytes, limit: 8 << 20)
        #expect(result.succeeded)
        #expect(result.output == bytes)
    }

    /// Writing to it must not raise SIGPIPE here.
    @Test func aChildMayLeaveItsInputUnread() async throws {
        let result = try await run("/bin/sh", ["-c", "exec 0<&-; echo done"], input: pattern(2 << 20))
        #expect(result.output == Array("done\n".utf8))
    }

    @Test func withoutInputTheChildReadsNothing() async throws {
        #expect(try await run("/bin/cat").output.isEmpty)
    }

    @Test(arguments: [0, 1, 1000, 100_000]) func keepsNoMoreThanTheLimit(limit: Int) async throws {
        let result = try await run("/bin/sh", ["-c", "head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2"], limit: limit)
        #expect(result.succeeded)
        #expect(result.output.count == limit)
        #expect(result.errorOutput.count == limit)
        #expect(result.wasCut)
    }

    @Test func exactlyTheLimitIsNotCut() async throws {
        let result = try await run("/bin/sh", ["-c", "head -c 1000 /dev/zero"], limit: 1000)
        #expect(result.output.count == 1000)
        #expect(!result.wasCut)
    }

    /// The child and what it started are killed; what it had written is kept.
    @Test func isKilledWithItsGroupWhenItTakesTooLong() async throws {
        try await withLoop { loop in
            let result = try await ChildProcess.run(
                "/bin/sh", ["-c", "sleep 1000 & echo $!; wait"], timeout: .milliseconds(300), on: loop)
            #expect(result.status == .timedOut)
            let sleeper = try #require(pid_t(String(decoding: result.output, as: UTF8.self).dropLast()))
            while kill(sleeper, 0) == 0 && !line("/proc/\(sleeper)/stat").contains(") Z ") { await turns(loop, 1) }
        }
    }

    @Test func aSignalIsReported() async throws {
        #expect(try await run("/bin/sh", ["-c", "kill -TERM $$"]).status == .signalled(SIGTERM))
    }

    /// Something the child started keeps its outputs open; its own end is what counts.
    @Test func doesNotWaitForGrandchildren() async throws {
        try await withLoop { loop in
            let result = try await ChildProcess.run(
                "/bin/sh", ["-c", "sleep 1000 & echo $!"], timeout: .seconds(60), on: loop)
            #expect(result.status == .exited(0))
            let sleeper = try #require(pid_t(String(decoding: result.output, as: UTF8.self).dropLast()))
            #expect(kill(sleeper, SIGKILL) == 0)
        }
    }

    @Test func childrenInheritNoDescriptorsAndNoBlockedSignals() async throws {
        let stray = dup(0)   // inheritable on purpose
        defer { close(stray) }
        let result = try await run("/bin/sh", ["-c", "ls /proc/self/fd | wc -l; grep SigBlk /proc/self/status"])
        // 0, 1, 2 and the folder that `ls` reads.
        #expect(String(decoding: result.output, as: UTF8.self) == "4\nSigBlk:\t0000000000000000\n")
    }

    @Test func cancellingTheTaskKillsTheChild() async throws {
        try await withLoop { loop in
            let task = Task {
                try await ChildProcess.run("/bin/sleep", ["1000"], timeout: .seconds(1000), on: loop)
            }
            await turns(loop, 5)
            task.cancel()
            await #expect(throws: ChildProcessError.cancelled("/bin/sleep")) { try await task.value }
        }
    }

    @Test func theLoopsEndEndsTheWaiting() async throws {
        let loop = try EventLoop(name: "test")
        let task = Task { try await ChildProcess.run("/bin/sleep", ["1000"], timeout: .seconds(1000), on: loop) }
        await turns(loop, 5)
        loop.shutdown()
        await #expect(throws: ChildProcessError.self) { try await task.value }
        await #expect(throws: ChildProcessError.self) {
            try await ChildProcess.run("/bin/sleep", ["1000"], timeout: .seconds(1000), on: loop)
        }
    }

    @Test func launchingReportsAnEarlyEndAndLeavesTheRestAlone() async throws {
        try await withLoop { loop in
            #expect(try await ChildProcess.launch("/bin/sh", ["-c", "exit 3"], grace: .seconds(60), on: loop) == .exited(3))
            let folder = try TemporaryFolder()
            let left = try await ChildProcess.launch(
                "/bin/sh", ["-c", "echo $$ > pid; exec sleep 1000"], directory: folder.path, grace: .milliseconds(200), on: loop)
            #expect(left == nil)
            while line(folder.path + "/pid").isEmpty { await turns(loop, 1) }
            let sleeper = try #require(pid_t(line(folder.path + "/pid")))
            #expect(kill(sleeper, SIGKILL) == 0)
            while kill(sleeper, 0) == 0 { await turns(loop, 1) }   // ends once the loop has reaped it
        }
    }

    @Test func whatWasLeftAloneIsNoZombieAfterTheLoopEither() async throws {
        let folder = try TemporaryFolder()
        let loop = try EventLoop(name: "test")
        let words = ["-c", "echo $$ > pid; exec sleep 1000"]
        _ = try await ChildProcess.launch("/bin/sh", words, directory: folder.path, grace: .milliseconds(20), on: loop)
        while line(folder.path + "/pid").isEmpty { await Task.yield() }
        loop.shutdown()
        let sleeper = try #require(pid_t(line(folder.path + "/pid")))
        #expect(kill(sleeper, SIGKILL) == 0)
        while kill(sleeper, 0) == 0 { await Task.yield() }  // ends once somebody has taken its status
    }

    /// In a process of its own, where no other test has children. The loop ends right after the kill.
    @Test func nothingKilledStaysAZombieWhenTheLoopEnds() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<50 {
                let loop = try EventLoop(name: "test")
                let late = Task { try await ChildProcess.run("/bin/sleep", ["1000"], timeout: .milliseconds(2), on: loop) }
                let cut = Task { try await ChildProcess.run("/bin/sleep", ["1000"], timeout: .seconds(1000), on: loop) }
                guard try await late.value.status == .timedOut else { exit(2) }
                cut.cancel()
                guard case .failure = await cut.result else { exit(3) }
                loop.shutdown()
                guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { exit(4) }
            }
            exit(0)
        }
    }

    /// A program that ignores SIGCHLD has its children's statuses thrown away by the kernel.
    @Test func aLostStatusIsAnErrorNotAnEndlessWait() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            let loop = try EventLoop(name: "test")
            do throws(ChildProcessError) {
                _ = try await ChildProcess.run("/bin/sh", ["-c", "exit 0"], timeout: .seconds(60), on: loop)
                exit(1)
            } catch {
                // A child that ended before it could be watched is gone without a trace; one that ended later left no status.
                let lost = [SystemError(call: "pidfd_open", code: ESRCH), SystemError(call: "waitpid", code: ECHILD)]
                exit(lost.contains { error == .system($0, "/bin/sh") } ? 0 : 2)
            }
        }
    }

    private func run(
        _ executable: String, _ arguments: [String] = [], input: [UInt8] = [], limit: Int = 65_536
    ) async throws -> ChildResult {
        try await withLoop { loop in
            try await ChildProcess.run(
                executable, arguments, input: input, timeout: .seconds(60), outputLimit: limit, on: loop)
        }
    }
}
