import HTTP
import LocalServer
import Testing

/// Streams are seen at once, and giving up reaches the server.
struct CancellationTests {
    private let client = HTTPClient(environment: [:])

    @Test func theFirstBytesAreSeenWhileTheRestIsNotSentYet() async throws {
        // The server never sends more: a client that waited for more would never return.
        let server = try await LocalServer(answers: [.stream([.chunk(Array("data: 1\n\n".utf8)), .hang])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        #expect(try await response.body.next() == Array("data: 1\n\n".utf8))
        await server.stop()
    }

    @Test func cancellingAReaderClosesTheConnection() async throws {
        let server = try await LocalServer(answers: [.stream([.chunk([1]), .hang])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        _ = try await response.body.next()
        let reader = Task { try await response.body.next() }
        await Task.yield()
        reader.cancel()
        await #expect(throws: HTTPError.cancelled) { try await reader.value }
        #expect(await server.waitForClosings(1).count == 1)
        await #expect(throws: HTTPError.cancelled) { try await response.body.next() }
        await server.stop()
    }

    @Test func cancellingBeforeTheHeadClosesTheConnection() async throws {
        let server = try await LocalServer(answers: [LocalAnswer([.hang])])
        let client = client
        let sender = Task { try await client.send(HTTPRequest("GET", server.url)) }
        await server.waitForRequests(1)
        sender.cancel()
        await #expect(throws: HTTPError.cancelled) { try await sender.value }
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let server = try await LocalServer(answers: [.json(200, [:])])
        let client = client
        let sender = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(HTTPRequest("GET", server.url))
        }
        await #expect(throws: HTTPError.cancelled) { try await sender.value }
        #expect(await server.requests().isEmpty)
        await server.stop()
    }

    @Test func lettingGoOfTheBodyClosesTheConnection() async throws {
        let server = try await LocalServer(answers: [.stream([.chunk([1]), .hang])])
        _ = try await client.send(HTTPRequest("GET", server.url))
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func theBodyOutlivesItsClient() async throws {
        let server = try await LocalServer(answers: [.stream([.chunk([1]), .pause(.milliseconds(20)), .chunk([2]), .end])])
        let body = try await HTTPClient(environment: [:]).send(HTTPRequest("GET", server.url)).body
        var bytes: [UInt8] = []
        while let more = try await body.next() { bytes += more }
        #expect(bytes == [1, 2])
        await server.stop()
    }

    @Test func closingTheClientClosesIdleConnections() async throws {
        let server = try await LocalServer(answers: [.json(200, [:])])
        do {
            let client = HTTPClient(environment: [:])
            _ = try await client.send(HTTPRequest("GET", server.url)).collect(limit: 10)
        }
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func twoReadersAtOnceAreRefused() async throws {
        let server = try await LocalServer(answers: [.stream([.hang])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        async let first = Result { () async throws(HTTPError) in try await response.body.next() }
        async let second = Result { () async throws(HTTPError) in try await response.body.next() }
        response.body.close()
        let results = await [first, second]
        #expect(results.allSatisfy { $0 == .failure(.cancelled) || $0 == .failure(.alreadyReading) })
        await server.stop()
    }

    @Test func aConnectionServesTheNextRequest() async throws {
        let server = try await LocalServer(answers: [.events([]), .json(200, [:])])
        for _ in 0..<3 { _ = try await client.send(HTTPRequest("GET", server.url)).collect(limit: 100) }
        #expect(await server.connectionCount() == 1)
        await server.stop()
    }

    @Test func drainingKeepsTheConnection() async throws {
        let server = try await LocalServer(answers: [.stream([.chunk([1]), .pause(.milliseconds(20)), .chunk([2]), .end]), .json(200, [:])])
        do {
            let response = try await client.send(HTTPRequest("GET", server.url))
            #expect(try await response.body.next()?.first == 1)
            response.body.drain()
        }
        try await Task.sleep(for: .milliseconds(100))  // Whether the end has come is visible to the client only.
        _ = try await client.send(HTTPRequest("GET", server.url)).collect(limit: 10)
        #expect(await server.connectionCount() == 1)
        await server.stop()
    }

    @Test func drainingGivesUpOnAnEndlessStream() async throws {
        let server = try await LocalServer(answers: [.stream([.endless([UInt8](repeating: 7, count: 4096))])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        response.body.drain()
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    /// The best of a few attempts, as other tests run on the same processors.
    @Test func firstByteWithinFiftyAndCancellationWithinAHundredMilliseconds() async throws {
        let clock = ContinuousClock()
        var firstByte = Duration.seconds(9), cancellation = Duration.seconds(9)
        for _ in 0..<5 {
            let sent = SentAt()
            let server = try await LocalServer { _ in .stream([.chunk([sent.mark()]), .hang]) }
            let response = try await client.send(HTTPRequest("GET", server.url))
            _ = try await response.body.next()
            firstByte = min(firstByte, clock.now - sent.time)
            let reader = Task { try await response.body.next() }
            let cancelledAt = clock.now
            reader.cancel()
            let closed = await server.waitForClosings(1)
            cancellation = min(cancellation, closed[0] - cancelledAt)
            await server.stop()
        }
        #expect(firstByte < .milliseconds(50))
        #expect(cancellation < .milliseconds(100))
    }
}

/// When the server answered. `@unchecked Sendable`: written before the answer is sent, read after it has come.
private final class SentAt: @unchecked Sendable {
    private(set) var time = ContinuousClock.now
    func mark() -> UInt8 {
        time = .now
        return 1
    }
}

extension Result where Failure == HTTPError {
    fileprivate init(_ body: () async throws(HTTPError) -> Success) async {
        do throws(HTTPError) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
