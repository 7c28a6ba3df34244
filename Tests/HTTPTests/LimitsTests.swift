import HTTP
import LocalServer
import Testing

/// Time-outs, and a reader that does not read.
struct LimitsTests {
    private let client = HTTPClient(environment: [:])

    @Test("Silence ends a request", arguments: [LocalAnswer([.hang]), .stream([.hang]), .stream([.chunk([1]), .hang])])
    func idle(answer: LocalAnswer) async throws {
        let server = try await LocalServer(answers: [answer])
        var request = HTTPRequest("GET", server.url)
        request.idleTimeout = .milliseconds(60)
        await #expect(throws: HTTPError.idleTimedOut(.milliseconds(60))) {
            let response = try await client.send(request)
            while try await response.body.next() != nil {}
        }
        _ = await server.waitForClosings(1)
        await server.stop()
    }

    @Test func bytesNowAndThenAreNoSilence() async throws {
        let steps = (0..<8).flatMap { _ in [LocalAnswer.Step.pause(.milliseconds(40)), .chunk([1])] }
        let server = try await LocalServer(answers: [.stream(steps + [.end])])
        var request = HTTPRequest("GET", server.url)
        request.idleTimeout = .milliseconds(200)
        #expect(try await client.send(request).collect(limit: 8).count == 8)
        await server.stop()
    }

    @Test func theTotalLimitEndsAStreamThatGoesOn() async throws {
        let server = try await LocalServer(answers: [.stream([.endless([UInt8](repeating: 1, count: 1024))])])
        var request = HTTPRequest("GET", server.url)
        request.totalTimeout = .milliseconds(100)
        request.maximumBodyLength = .max
        await #expect(throws: HTTPError.totalTimedOut(.milliseconds(100))) {
            let response = try await client.send(request)
            while try await response.body.next() != nil {}
        }
        _ = await server.waitForClosings(1)
        await server.stop()
    }

    @Test func aReaderThatDoesNotReadStopsTheSender() async throws {
        let server = try await LocalServer(answers: [.stream([.endless([UInt8](repeating: 1, count: 16_384))])])
        var request = HTTPRequest("GET", server.url)
        request.maximumBodyLength = .max
        request.idleTimeout = .milliseconds(100)
        let response = try await client.send(request)
        var sent = -1
        var now = await server.bytesSent()
        while now != sent || now == 0 {
            sent = now
            try await Task.sleep(for: .milliseconds(150))  // Longer than the silence that would end it, were it the server's.
            now = await server.bytesSent()
        }
        // The kernel's buffers of both ends, and ours.
        #expect(sent < 24 << 20)
        var received = 0
        while received < sent + (1 << 20), let bytes = try await response.body.next() {
            received += bytes.count
            #expect(bytes.count <= 512 * 1024)
        }
        #expect(received >= sent + (1 << 20))
        response.body.close()
        _ = await server.waitForClosings(1)
        await server.stop()
    }
}
