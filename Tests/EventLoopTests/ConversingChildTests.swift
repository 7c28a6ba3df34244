import Glibc
import Testing

@testable import EventLoop

struct ConversingChildTests {
    /// More than the kernel holds, both ways at once: neither side may wait for the other for ever.
    @Test func whatItIsToldAndWhatItSaysFlowTogether() async throws {
        try await withLoop { loop in
            let bytes = pattern(2 << 20)
            let talk = try await Talk.start("/bin/cat", on: loop)
            await talk.ear.tell { $0.write(bytes) }
            await talk.ear.wait { $0.bytes.count >= bytes.count }
            #expect(await onLoop(loop) { talk.ear.bytes } == bytes)
            await talk.end(within: .seconds(60))
            #expect(await talk.exit() == .exited(0))
        }
    }

    /// Not with a signal: it sees the end of its input and may tidy up.
    @Test func endingLetsItFinish() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let talk = try await Talk.start("/bin/sh", ["-c", "cat; echo over > end; exit 5"], directory: folder.path, on: loop)
            await talk.end(within: .seconds(60))
            #expect(await talk.exit() == .exited(5))
            #expect(line(folder.path + "/end") == "over")
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(50)]) func oneThatDoesNotEndIsKilledWithItsGroup(grace: Duration) async throws {
        try await withLoop { loop in
            let talk = try await Talk.start("/bin/sh", ["-c", "sleep 1000 & echo $!; wait; sleep 1000"], on: loop)
            await talk.ear.wait { $0.bytes.last == 10 }
            let sleeper = try #require(pid_t(String(decoding: await onLoop(loop) { talk.ear.bytes }, as: UTF8.self).dropLast()))
            await talk.end(within: grace)
            #expect(await talk.exit() == .signalled(SIGKILL))
            while kill(sleeper, 0) == 0 && !line("/proc/\(sleeper)/stat").contains(") Z ") { await turns(loop, 1) }
        }
    }

    @Test func itsOwnEndIsReported() async throws {
        try await withLoop { loop in
            let talk = try await Talk.start("/bin/sh", ["-c", "echo last words; exit 3"], on: loop)
            #expect(await talk.ear.closed() == .endOfFile)
            #expect(await talk.exit() == .exited(3))
            #expect(await onLoop(loop) { talk.ear.bytes } == Array("last words\n".utf8))
            await talk.end(within: .zero)  // harmless: it is over
        }
    }

    /// Only its input, its output and a standard error that leads nowhere.
    @Test func inheritsNothingElse() async throws {
        try await withLoop { loop in
            let script = "[ /proc/self/fd/0 -ef /proc/self/fd/1 ] && [ /proc/self/fd/2 -ef /dev/null ] && ls /proc/self/fd | wc -l; echo noise >&2"
            let talk = try await Talk.start("/bin/sh", ["-c", script], on: loop)
            #expect(await talk.exit() == .exited(0))
            await talk.ear.wait { !$0.reasons.isEmpty }
            // The fourth is the folder that `ls` reads.
            #expect(await onLoop(loop) { talk.ear.bytes } == Array("4\n".utf8))
        }
    }

    @Test func saysWhatIsMissing() async throws {
        try await withLoop { loop in
            await #expect(throws: ChildProcessError.notFound("/nowhere/x")) { _ = try await Talk.start("/nowhere/x", on: loop) }
            await #expect(throws: ChildProcessError.notFound("")) { _ = try await Talk.start("", on: loop) }
            await #expect(throws: ChildProcessError.notExecutable("/etc/passwd")) { _ = try await Talk.start("/etc/passwd", on: loop) }
        }
    }

    /// In a process of its own, where no other test has children.
    @Test func nothingIsLeftWhenTheLoopEnds() async {
        await #expect(processExitsWith: .success) {
            try await useOnce()  // the first time opens what the process keeps
            let before = entries("/proc/self/fd").count
            for _ in 0..<20 { try await useOnce() }
            exit(entries("/proc/self/fd").count == before ? 0 : 3)
        }
    }
}

/// Leaves two children to the end of their loop, one of which was told to end.
private func useOnce() async throws {
    let loop = try EventLoop(name: "test")
    let talk = try await Talk.start("/bin/sleep", ["1000"], on: loop)
    _ = try await Talk.start("/bin/sleep", ["1000"], on: loop)
    await talk.end(within: .seconds(1000))
    loop.shutdown()
    guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { exit(2) }
}

/// A child and what was heard of it. `@unchecked Sendable`: used on one loop, as the child is.
private final class Talk: @unchecked Sendable {
    let child: ConversingChild
    let ear: Ear
    private let exits = AsyncStream<ChildResult.Status?>.makeStream()

    static func start(_ executable: String, _ arguments: [String] = [], directory: String? = nil, on loop: EventLoop) async throws -> Talk {
        try await onLoop(loop) {
            Swift.Result { () throws(ChildProcessError) in try Talk(ConversingChild(executable, arguments, directory: directory, on: loop)) }
        }.get()
    }

    private init(_ child: ConversingChild) {
        self.child = child
        let report = exits.continuation
        child.onExit = { report.yield($0) }
        ear = Ear(child.socket)
    }

    func end(within grace: Duration) async {
        let child = child
        await onLoop(child.socket.loop) { child.end(within: grace) }
    }

    func exit() async -> ChildResult.Status? {
        for await status in exits.stream { return status }
        return nil
    }
}
