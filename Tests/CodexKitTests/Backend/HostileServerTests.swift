import FoundationEssentials
import LocalServer
import Testing

@testable import CodexKit

/// The same answer over every kind of bad line, and what comes of answers that break.
struct HostileServerTests {
    private static let pieces = ["Grüße", " aus", " \u{1F30D}", ".\nEnde"]
    private static let usage = AgentUsage(inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningOutputTokens: 2, totalTokens: 15)

    private static let whole: [AgentBackendEvent] =
        [.started(id: "resp_1", model: "gpt-5.4")] + pieces.map { .textDelta(itemID: "msg_1", delta: $0) } + [
            .message(AgentBackendMessage(id: "msg_1", text: pieces.joined())),
            .completed(AgentBackendCompletion(responseID: "resp_1", usage: usage)),
        ]

    @Test(
        "Neither cuts nor line ends change the answer", arguments: [LocalAnswer.Cut.oneEventAChunk, .everyByte, .allAtOnce],
        ResponsesScript.LineEnd.allCases)
    func cuts(cut: LocalAnswer.Cut, lineEnd: ResponsesScript.LineEnd) async throws {
        let server = try await LocalServer(answers: [.events(ResponsesScript.text(Self.pieces), cut: cut, lineEnd: lineEnd)])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(error == nil)
        #expect(events == Self.whole)
        await server.stop()
    }

    @Test func commentsKeepAlivesAndUnknownEventsAreSkipped() async throws {
        let strange: [[UInt8]] = [
            Array(": keep-alive\n\n".utf8), Array("event: ping\ndata: {\"type\":\"ping\"}\n\n".utf8), Array("\n\n\n".utf8),
            Array("id: 1\nretry: 10\n\n".utf8), Array("data: {\"type\":\"response.of_tomorrow\",\"x\":[1]}\n\n".utf8), Array("data:\n\n".utf8),
            Array("event: keepalive\n\n".utf8),
        ]
        let pieces = ResponsesScript.text(Self.pieces).map { ResponsesScript.event($0) }.flatMap { strange + [$0] }
        let server = try await LocalServer(answers: [.stream(LocalAnswer.steps(pieces, cut: .oneEventAChunk) + [.end])])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(error == nil)
        #expect(events == Self.whole)
        await server.stop()
    }

    @Test("The last event needs neither an empty line nor a proper end of the body", arguments: [0, 1, 2])
    func noFinalNewline(missing: Int) async throws {
        var bytes = Array(ResponsesScript.text(Self.pieces).map { ResponsesScript.event($0) }.joined())
        bytes.removeLast(missing)
        let server = try await LocalServer(
            answers: [LocalAnswer([.raw(LocalAnswer.head(200, [("Content-Type", "text/event-stream")]) + bytes), .close])])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(error == nil)
        #expect(events == Self.whole)
        await server.stop()
    }

    @Test func nothingAfterTheEndCounts() async throws {
        let late = ResponsesScript.text(Self.pieces) + [ResponsesScript.delta("late"), ["type": "error", "message": "late"]]
        let server = try await LocalServer(answers: [.events(late, cut: .allAtOnce)])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(error == nil)
        #expect(events == Self.whole)
        await server.stop()
    }

    @Test("Half an event, then the end of the line", arguments: [LocalAnswer.Step.reset, .close, .end])
    func halfAnEvent(end: LocalAnswer.Step) async throws {
        let half = Array(ResponsesScript.event(ResponsesScript.delta("never seen")).dropLast(20))
        let steps = LocalAnswer.steps(
            [ResponsesScript.created(), ResponsesScript.delta("seen")].map { ResponsesScript.event($0) } + [half], cut: .oneEventAChunk)
        let server = try await LocalServer(answers: [.stream(steps + [.pause(.milliseconds(20)), end])])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(events.text == "seen")
        #expect(events.completion == nil)
        #expect(error?.code == (isEnd(end) ? .streamInterrupted : .network))
        #expect(await server.requests().count == 1)
        await server.stop()
    }

    private func isEnd(_ step: LocalAnswer.Step) -> Bool { if case .end = step { true } else { false } }

    @Test("A line that breaks before anything was visible is tried again", arguments: [LocalAnswer.Step.reset, .close, .end])
    func breaksEarly(end: LocalAnswer.Step) async throws {
        let early = LocalAnswer.stream([.chunk(ResponsesScript.event(ResponsesScript.created())), .pause(.milliseconds(20)), end])
        let server = try await LocalServer(answers: [early, .events(ResponsesScript.text(["ok"]))])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(error == nil)
        #expect(events.text == "ok")
        #expect(events.retries.map(\.attempt) == [2])
        await server.stop()
    }

    @Test func anEndlessStreamCanBeLeft() async throws {
        let delta = ResponsesScript.event(ResponsesScript.delta("more "))
        let server = try await LocalServer(answers: [.stream([.chunk(ResponsesScript.event(ResponsesScript.created())), .endless(delta)])])
        let fixture = try BackendFixture(server)
        var count = 0
        for try await event in fixture.stream() {
            if case .textDelta = event { count += 1 }
            if count == 10_000 { break }
        }
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func anEventWithoutEndIsCutOff() async throws {
        let server = try await LocalServer(
            answers: [.stream([.chunk(Array("data: ".utf8)), .endless([UInt8](repeating: 0x78, count: 65_536))])])
        let fixture = try BackendFixture(server) { $0.requestRetryPolicy = .disabled }
        let (events, error) = await fixture.collect()
        #expect(events == [])
        #expect(error?.code == .invalidResponse)
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test("Events that are no JSON object", arguments: ["nonsense", "[1]", "{\"type\":", "\"text\"", "{\"a\":1}{"])
    func noJSON(data: String) async throws {
        let steps = LocalAnswer.steps([ResponsesScript.event(ResponsesScript.created()), Array("data: \(data)\n\n".utf8)], cut: .oneEventAChunk)
        let server = try await LocalServer(answers: [.stream(steps + [.hang])])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(events == [.started(id: "resp_1", model: "gpt-5.4")])
        #expect(error?.code == .invalidResponse)
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func aCheckForRobotsIsRecognised() async throws {
        for answer in [LocalAnswer.html(403), .html(200), .html(503)] {
            let server = try await LocalServer(answers: [answer])
            let (events, error) = try await BackendFixture(server).collect()
            #expect(events == [])
            #expect(error?.code == .challenged)
            #expect(await server.requests().count == 1)
            await server.stop()
        }
    }
}
