import FoundationEssentials
import LocalServer
import Testing

@testable import CodexKit

/// When a request is sent again.
struct RetryTests {
    private static let good = LocalAnswer.events(ResponsesScript.text(["ok"]))
    private static let tooMany = LocalAnswer.json(429, ["error": ["message": "slow down"]], fields: [("Retry-After", "7")])

    @Test func tooManyRequestsWaitAsLongAsTheServerSays() async throws {
        let server = try await LocalServer(answers: [Self.tooMany, Self.good])
        let fixture = try BackendFixture(server)
        let (events, error) = await fixture.collect()
        #expect(error == nil)
        #expect(events.text == "ok")
        #expect(fixture.clock.sleeps == [.seconds(7)])
        #expect(events.retries.map(\.code) == [.rateLimited])
        await server.stop()
    }

    @Test("A failure of the server passes", arguments: [500, 502, 503, 504, 408])
    func serverFailure(status: Int) async throws {
        let server = try await LocalServer(answers: [.json(status, ["error": ["message": "oops"]]), Self.good])
        let fixture = try BackendFixture(server)
        let (events, error) = await fixture.collect()
        #expect(error == nil)
        #expect(events.text == "ok")
        #expect(fixture.clock.sleeps == [.milliseconds(500)])
        await server.stop()
    }

    @Test func theWaitsDoubleUpToTheirLimitAndTheAttemptsEnd() async throws {
        let server = try await LocalServer(answers: [.json(500, [:])])
        let fixture = try BackendFixture(server) {
            $0.requestRetryPolicy = RequestRetryPolicy(maxAttempts: 6, initialBackoff: 0.5, maxBackoff: 3, jitterFactor: 0.2)
        }
        let (events, error) = await fixture.collect()
        #expect(error?.code == .serverFailed)
        #expect(error?.status == 500)
        #expect(fixture.clock.sleeps == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3)])
        #expect(events.retries.map(\.attempt) == [2, 3, 4, 5, 6])
        #expect(await server.requests().count == 6)
        await server.stop()
    }

    @Test(
        "Waits of one policy",
        arguments: [
            (1, 0.5, 500), (1, 0.0, 400), (1, 1.0, 600), (2, 0.5, 1000), (3, 0.5, 2000), (4, 0.5, 4000), (5, 0.5, 4000), (6, 0.5, nil),
            (900, 0.5, nil),
        ] as [(Int, Double, Int?)])
    func delays(attempt: Int, random: Double, milliseconds: Int?) {
        let policy = RequestRetryPolicy(maxAttempts: 6, initialBackoff: 0.5, maxBackoff: 4, jitterFactor: 0.2)
        let failure = AgentRuntimeError(code: .serverFailed, message: "x")
        #expect(policy.delay(after: attempt, failure: failure, random: random) == milliseconds.map { .milliseconds($0) })
    }

    @Test(
        "Policies out of range are brought into it",
        arguments: [
            RequestRetryPolicy(maxAttempts: 0, initialBackoff: -1, maxBackoff: .nan, jitterFactor: 7),
            RequestRetryPolicy(maxAttempts: .max, initialBackoff: .infinity, maxBackoff: 1e300, jitterFactor: -.infinity),
        ])
    func policyBounds(policy: RequestRetryPolicy) {
        #expect((1...20).contains(policy.maxAttempts))
        #expect((0...3600).contains(policy.initialBackoff) && (0...3600).contains(policy.maxBackoff) && (0...1).contains(policy.jitterFactor))
        let failure = AgentRuntimeError(code: .network, message: "x")
        #expect((policy.delay(after: 1, failure: failure, random: 1) ?? .zero) <= .seconds(7200))
    }

    @Test func aPolicyOfOneAttemptNeverRepeats() async throws {
        let server = try await LocalServer(answers: [Self.tooMany])
        let fixture = try BackendFixture(server) { $0.requestRetryPolicy = .disabled }
        let (events, error) = await fixture.collect()
        #expect(events == [])
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == .seconds(7))
        #expect(fixture.clock.sleeps == [])
        await server.stop()
    }

    @Test func aWaitThatIsTooLongIsReportedAtOnce() async throws {
        let server = try await LocalServer(answers: [.json(429, [:], fields: [("Retry-After", "3600")])])
        let fixture = try BackendFixture(server)
        let (_, error) = await fixture.collect()
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == .seconds(3600))
        #expect(fixture.clock.sleeps == [])
        await server.stop()
    }

    @Test(
        "What will not pass is not repeated",
        arguments: [
            (400, "{\"error\":{\"code\":\"invalid_prompt\",\"message\":\"m\"}}", AgentRuntimeError.Code.requestRefused),
            (404, "", .requestRefused), (403, "{\"detail\":\"no\"}", .requestRefused),
            (400, "{\"error\":{\"code\":\"context_length_exceeded\"}}", .contextTooLong),
            (429, "{\"error\":{\"type\":\"usage_limit_reached\",\"message\":\"m\",\"resets_in_seconds\":90}}", .usageLimitReached),
            (429, "{\"error\":{\"code\":\"insufficient_quota\"}}", .usageLimitReached), (402, "not json", .requestRefused),
        ])
    func final(status: Int, body: String, code: AgentRuntimeError.Code) async throws {
        let server = try await LocalServer(answers: [.whole(status, Array(body.utf8), type: "application/json")])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(events == [])
        #expect(error?.code == code)
        #expect(error?.status == status)
        #expect(await server.requests().count == 1)
        if body.contains("resets_in") { #expect(error?.retryAfter == .seconds(90)) }
        await server.stop()
    }

    @Test(
        "After something was visible nothing is repeated",
        arguments: [
            ResponsesScript.delta("a"), ["type": "response.reasoning_summary_text.delta", "item_id": "rs", "delta": "hm"],
            ResponsesScript.functionCall("tool", arguments: "{}"),
        ].map { ResponsesScript.event($0) })
    func visible(event: [UInt8]) async throws {
        let server = try await LocalServer(answers: [.stream([.chunk(event), .pause(.milliseconds(20)), .reset]), Self.good])
        let (events, error) = try await BackendFixture(server).collect()
        #expect(events.count == 1)
        #expect(error?.code == .network)
        #expect(await server.requests().count == 1)
        await server.stop()
    }

    @Test func anErrorWithinTheStreamWaitsAsItsTextSays() async throws {
        let limit: LocalAnswer = .events([
            ResponsesScript.created(),
            ["type": "response.failed", "response": ["error": ["code": "rate_limit_exceeded", "message": "Please try again in 11.054s. Visit"]]],
        ])
        let server = try await LocalServer(answers: [limit, Self.good])
        let fixture = try BackendFixture(server)
        let (events, error) = await fixture.collect()
        #expect(error == nil)
        #expect(events.text == "ok")
        #expect(fixture.clock.sleeps == [.milliseconds(11_054)])
        await server.stop()
    }

    @Test func aSessionThatIsNotAcceptedIsReplacedOnce() async throws {
        let server = try await LocalServer { request in
            request["Authorization"] == "Bearer " + TestTokens.access(serial: 1) ? Self.good : .json(401, ["error": ["message": "expired"]])
        }
        let sessions = FixedSessions([TestTokens.session(serial: 0), TestTokens.session(serial: 1)])
        let fixture = try BackendFixture(server, sessions: sessions)
        let (events, error) = await fixture.collect()
        #expect(error == nil)
        #expect(events.text == "ok")
        #expect(events.retries.isEmpty)
        #expect(sessions.replacements == 1)
        #expect(fixture.clock.sleeps == [])
        await server.stop()
    }

    @Test func aSecondRefusalIsFinal() async throws {
        let server = try await LocalServer(answers: [.json(401, ["error": ["message": "no CANARY"]])])
        let sessions = FixedSessions([TestTokens.session(serial: 0), TestTokens.session(serial: 1)])
        let (_, error) = try await BackendFixture(server, sessions: sessions).collect()
        #expect(error?.code == .unauthorized)
        #expect(sessions.replacements == 1)
        #expect(await server.requests().count == 2)
        await server.stop()
    }

    @Test func withoutASessionNothingIsSent() async throws {
        let server = try await LocalServer(answers: [Self.good])
        let (_, error) = try await BackendFixture(server, sessions: FixedSessions([])).collect()
        #expect(error?.code == .missingSession)
        #expect(await server.connectionCount() == 0)
        await server.stop()
    }
}
