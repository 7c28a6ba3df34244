import Glibc
import Synchronization
import Testing

@testable import CommandLineKit

private let lastHandled = Atomic<CInt>(0)

/// One after the other: signal handlers belong to the whole process.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct PromptTests {
    private let pair: PseudoTerminal

    init() throws { pair = try PseudoTerminal() }

    private func ask() -> () async -> Result<String, PromptError> {
        let path = pair.path
        return inBackground { Result { () throws(PromptError) in try Prompt.hidden("Token:", terminal: path) } }
    }

    @Test func hidesWhatIsTypedAndRestoresTheEcho() async {
        let result = ask()
        #expect(pair.see(until: "Token: ") == "Token: ")
        #expect(!pair.echoes)
        pair.type("c4n4ry\n")
        #expect(await result() == .success("c4n4ry"))
        #expect(pair.echoes)
        #expect(pair.see(until: "\n") == "\r\n")
    }

    @Test func theEndOfTheInputIsNoAnswer() async {
        let result = ask()
        _ = pair.see(until: "Token: ")
        pair.type("\u{4}")
        #expect(await result() == .failure(.endOfInput))
        #expect(pair.echoes)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
    func aSignalRestoresTheEchoAndThenHasItsEffect(number: CInt) async {
        // With a handler of its own the process lives on, and the handler must have been put back before the signal is raised again.
        var former = sigaction(), own = sigaction()
        own.__sigaction_handler.sa_handler = { lastHandled.store($0, ordering: .sequentiallyConsistent) }
        sigaction(number, &own, &former)
        defer { sigaction(number, &former, nil) }
        let result = ask()
        _ = pair.see(until: "Token: ")
        kill(getpid(), number)
        #expect(await result() == .failure(.interrupted(signal: number)))
        #expect(pair.echoes)
        #expect(lastHandled.load(ordering: .sequentiallyConsistent) == number)
        var now = sigaction()
        sigaction(number, nil, &now)
        #expect(unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(own.__sigaction_handler.sa_handler, to: Int.self))
    }

    @Test func aSignalEndsAProcessThatDoesNotHandleIt() async {
        let path = pair.path
        async let ended = #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
            _ = try Prompt.hidden("Token:", terminal: path)
        }
        _ = pair.see(until: "Token: ")
        // The child of an exit test does not tell its number; but it alone, apart from this process, has the terminal open.
        let child = pair.reader(excluding: getpid())
        if let child { kill(child, SIGTERM) } else { Issue.record("no process asks on the terminal") }
        #expect(await ended != nil)
        #expect(pair.echoes)
    }

    @Test func anIgnoredSignalStaysIgnored() async {
        var former = sigaction(), ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        sigaction(SIGHUP, &ignoring, &former)
        defer { sigaction(SIGHUP, &former, nil) }
        let result = ask()
        _ = pair.see(until: "Token: ")
        kill(getpid(), SIGHUP)
        pair.type("answer\n")
        #expect(await result() == .success("answer"))
    }

    @Test func oneQuestionAtATime() async throws {
        let result = ask()
        _ = pair.see(until: "Token: ")
        let other = try PseudoTerminal()
        #expect(throws: PromptError.busy) { try Prompt.hidden("Again:", terminal: other.path) }
        pair.type("x\n")
        #expect(await result() == .success("x"))
    }

    @Test func withoutATerminalNothingIsAsked() {
        #expect(throws: PromptError.noTerminal) { try Prompt.hidden("Token:", terminal: "/dev/null") }
        #expect(throws: PromptError.noTerminal) { try Prompt.hidden("Token:", terminal: "/nonexistent") }
        #expect(throws: PromptError.unconfirmed) { try Prompt.confirm("Really?", input: -1, output: -1) }
    }

    @Test(arguments: [("y\n", true), ("maybe\nno\n", false), ("\n", false), ("a\nb\nc\n", false), ("YES\n", true)])
    func confirmsOnlyAClearYes(typed: String, expected: Bool) throws {
        pair.type(typed)
        #expect(try Prompt.confirm("Really?", input: pair.terminal, output: pair.terminal) == expected)
    }

    @Test(arguments: [
        ("", nil), (" ", nil), ("y", true), ("Y", true), ("yes ", true), ("n", false), ("No", false), ("yes please", nil), ("x", nil), ("ja", nil),
    ] as [(String, Bool?)])
    func understandsYesAndNo(line: String, expected: Bool?) {
        let isEmpty = line.allSatisfy(\.isWhitespace)
        #expect(Prompt.answer(line, fallback: true) == (isEmpty ? true : expected))
        #expect(Prompt.answer(line, fallback: false) == (isEmpty ? false : expected))
    }

    @Test func readsOneLineOfAPipeAndLeavesTheRest() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = "first\r\nsecond\n\nlast"
        _ = write(ends[1], text, text.utf8.count)
        close(ends[1])
        #expect(try Prompt.line(from: ends[0]) == "first")
        #expect(try Prompt.line(from: ends[0]) == "second")
        #expect(try Prompt.line(from: ends[0]) == "")
        #expect(try Prompt.line(from: ends[0]) == "last")
        #expect(throws: PromptError.endOfInput) { try Prompt.line(from: ends[0]) }
        #expect(throws: PromptError.failed(errno: EBADF)) { try Prompt.line(from: -1) }
    }

    @Test(arguments: [([UInt8](repeating: 0x61, count: 10), true), ([UInt8](repeating: 0x61, count: 11), false), ([0xFF], false), ([], true)])
    func boundsTheAnswer(bytes: [UInt8], fits: Bool) throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        _ = write(ends[1], bytes + [0x0A], bytes.count + 1)
        close(ends[1])
        let line = try? Prompt.line(from: ends[0], limit: 10)
        #expect((line != nil) == fits)
    }
}

extension PseudoTerminal {
    /// The other process that has this terminal open.
    func reader(excluding own: pid_t) -> pid_t? {
        guard let folder = opendir("/proc") else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name), process != own else { continue }
            for number in 0..<64 {
                var target = [CChar](repeating: 0, count: 64)
                guard readlink("/proc/\(name)/fd/\(number)", &target, 63) > 0 else { continue }
                if String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) == path { return process }
            }
        }
        return nil
    }
}
