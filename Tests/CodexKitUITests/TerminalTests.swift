import CodexKit
import Foundation
import Synchronization
import Testing

@testable import CodexKitUI

struct TerminalTests {
    private final class Screen: Sendable {
        private let text = Mutex("")
        func write(_ more: String) { text.withLock { $0 += more } }
        var shown: String { text.withLock { $0 } }
    }

    private static func request(arguments: JSONValue = ["path": "/tmp"], message: String = "It removes.") -> ApprovalRequest {
        let call = ToolInvocation(id: "c", threadID: "t", turnID: "u", toolName: "rm", arguments: arguments)
        return ApprovalRequest(threadID: "t", turnID: "u", toolInvocation: call, title: "Allow rm?", message: message)
    }

    private static func ask(_ lines: [String], _ request: ApprovalRequest = request()) async throws -> (ApprovalDecision, String) {
        let screen = Screen()
        let input = Mutex(lines[...])
        let presenter = TerminalApprovalPresenter(write: { screen.write($0) }, readLine: { input.withLock { $0.popFirst() } })
        return (try await presenter.requestApproval(request), screen.shown)
    }

    @Test(arguments: [
        (["y"], ApprovalDecision.approved), ([" YES "], .approved), (["n"], .denied), ([""], .denied), ([], .denied), (["maybe", "y"], .approved),
        (["yy", "no"], .denied),
    ])
    func onlyAClearYesIsAYes(lines: [String], decision: ApprovalDecision) async throws {
        #expect(try await Self.ask(lines).0 == decision)
    }

    @Test func showsWhatWouldRun() async throws {
        let shown = try await Self.ask(["n"]).1
        #expect(shown.contains("Allow rm?") && shown.contains("It removes.") && shown.contains(#"rm {"path":"/tmp"}"#))
    }

    @Test func nothingFromElsewhereCommandsTheTerminal() async throws {
        let request = Self.request(arguments: ["a": "\u{1B}[2J\u{202E}"], message: "one\r\n\u{1B}]0;title\u{07}")
        let shown = try await Self.ask(["n"], request).1
        #expect(!shown.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x07 || $0.value == 0x202E || $0.value == 0x0D })
        var text = TerminalTurnText()
        #expect(text.text(for: .assistantMessageDelta(threadID: "t", turnID: "u", delta: "a\u{1B}[31mb\tc\n")) == "a\u{FFFD}[31mb\tc\n")
    }

    @Test func questionsComeOneAfterAnother() async throws {
        let screen = Screen()
        let (lines, typing) = AsyncStream<String>.makeStream()
        let reader = Reader(lines)
        let presenter = TerminalApprovalPresenter(write: { screen.write($0) }, readLine: { await reader.next() })
        async let first = presenter.requestApproval(Self.request(message: "First."))
        while screen.shown.isEmpty { await Task.yield() }
        async let second = presenter.requestApproval(Self.request(message: "Second."))
        for _ in 0..<100 { await Task.yield() }
        #expect(!screen.shown.contains("Second."))
        typing.yield("y")
        #expect(try await first == .approved)
        typing.yield("n")
        #expect(try await second == .denied)
    }

    private actor Reader {
        var iterator: AsyncStream<String>.Iterator
        init(_ lines: AsyncStream<String>) { iterator = lines.makeAsyncIterator() }
        func next() async -> String? {
            var copy = iterator
            defer { iterator = copy }
            return await copy.next(isolation: self)
        }
    }

    @Test func printsATurn() {
        var text = TerminalTurnText()
        func message(_ text: String) -> AgentEvent { .messageCommitted(AgentMessage(threadID: "t", role: .assistant, text: text)) }
        let call = ToolInvocation(id: "c", threadID: "t", turnID: "u", toolName: "rm", arguments: [:])
        let events: [AgentEvent] = [
            .assistantMessageDelta(threadID: "t", turnID: "u", delta: "Let me"), .toolCallStarted(call),
            .toolCallFinished(.failure(invocation: call, message: "no\nway")), .assistantMessageDelta(threadID: "t", turnID: "u", delta: "Done"),
            message("Done"), message("Whole"), .turnFailed(AgentRuntimeError(code: .network, message: "Gone.")),
        ]
        let shown = events.map { text.text(for: $0) }.joined()
        #expect(shown == "Let me\n→ rm\n✗ rm: no way\nDone\nWhole\n! Gone.\n")
    }

    @Test func readsLinesInPiecesAndAtTheEnd() async throws {
        let pipe = Pipe()
        let input = try TerminalInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\r\ntw".utf8))
        #expect(try await input.line() == "one")
        try pipe.fileHandleForWriting.write(contentsOf: Data("o\n\nlast".utf8))
        #expect(try await input.line() == "two")
        #expect(try await input.line() == "")
        try pipe.fileHandleForWriting.close()
        #expect(try await input.line() == "last")
        #expect(try await input.line() == nil)
    }

    @Test func readingEndsWithItsTask() async throws {
        let pipe = Pipe()
        let input = try TerminalInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let reading = Task { try await input.line() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        try pipe.fileHandleForWriting.write(contentsOf: Data("kept\n".utf8))
        #expect(try await input.line() == "kept")
    }

    @Test func showsTheCode() async throws {
        let screen = Screen()
        let url = try #require(URL(string: "https://example.com/device"))
        await TerminalDeviceCodePresenter { screen.write($0) }.presentDeviceCode(
            DeviceCodePrompt(verificationURL: url, userCode: "AB-12", expiresAt: Date()))
        #expect(screen.shown.contains("https://example.com/device") && screen.shown.contains("AB-12"))
    }
}
