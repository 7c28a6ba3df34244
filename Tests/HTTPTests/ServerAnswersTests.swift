import HTTP
import LocalServer
import Testing

/// What comes back from well-behaved and from ill-behaved servers.
struct ServerAnswersTests {
    private let client = HTTPClient(environment: [:])

    @Test func readsABodyOfKnownLength() async throws {
        let server = try await LocalServer(answers: [.whole(200, Array("hello".utf8), type: "text/plain", fields: [("X-Kind", "one")])])
        let response = try await client.send(HTTPRequest("GET", server.url + "/a?b=c"))
        #expect(response.status == 200)
        #expect(response.fields["x-kind"] == "one")
        #expect(try await response.collect(limit: 5) == Array("hello".utf8))
        let requests = await server.requests()
        #expect(requests.first?.method == "GET")
        #expect(requests.first?.target == "/a?b=c")
        #expect(requests.first?["content-type"] == nil)
        await server.stop()
    }

    @Test("The cut of the chunks never changes the body", arguments: [1, 2, 7, 1000])
    func readsChunks(size: Int) async throws {
        let body = (0..<1000).map { UInt8($0 % 251) }
        let pieces = stride(from: 0, to: body.count, by: size).map { LocalAnswer.Step.chunk(Array(body[$0..<min($0 + size, body.count)])) }
        let server = try await LocalServer(answers: [.stream(pieces + [.end])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        #expect(try await response.collect(limit: 1000) == body)
        await server.stop()
    }

    @Test func bodyWithoutLengthEndsWithTheConnection() async throws {
        let server = try await LocalServer(answers: [LocalAnswer([.raw(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)), .close])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        #expect(try await response.collect(limit: 10) == Array("abc".utf8))
        await server.stop()
    }

    @Test func passesOverProvisionalAnswers() async throws {
        let text = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\nX-Real: yes\r\n\r\n"
        let server = try await LocalServer(answers: [LocalAnswer([.raw(Array(text.utf8))])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        #expect(response.status == 204)
        #expect(response.fields["Link"] == nil)
        #expect(response.fields["X-Real"] == "yes")
        #expect(try await response.body.next() == nil)
        await server.stop()
    }

    @Test func sendsABodyWithItsLengthAndWithoutAskingFirst() async throws {
        let server = try await LocalServer(answers: [.json(200, [:])])
        let body = [UInt8](repeating: 0x61, count: 3 << 20)
        let request = HTTPRequest("POST", server.url, fields: [HTTPField("Content-Type", "application/json"), HTTPField("X-Empty", "")], body: body)
        let response = try await client.send(request)
        #expect(response.status == 200)
        let received = await server.requests()
        #expect(received.first?.body == body)
        #expect(received.first?["Expect"] == nil)
        #expect(received.first?["Content-Type"] == "application/json")
        #expect(received.first?["X-Empty"] == "")
        await server.stop()
    }

    @Test func headRequestHasNoBody() async throws {
        let server = try await LocalServer(answers: [LocalAnswer([.raw(LocalAnswer.head(200, [("Content-Length", "1000")]))])])
        let response = try await client.send(HTTPRequest("HEAD", server.url))
        #expect(response.fields["Content-Length"] == "1000")
        #expect(try await response.collect(limit: 0) == [])
        await server.stop()
    }

    @Test(
        "What came before the connection broke is read before the failure",
        arguments: [LocalAnswer.Step.reset, .close], ["Content-Length: 100", "Transfer-Encoding: chunked"])
    func breaksInTheMiddle(end: LocalAnswer.Step, framing: String) async throws {
        let body = framing.hasPrefix("Content") ? "abc" : "3\r\nabc\r\n"
        let server = try await LocalServer(
            answers: [LocalAnswer([.raw(Array("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n\(body)".utf8)), .pause(.milliseconds(30)), end])])
        let response = try await client.send(HTTPRequest("GET", server.url))
        #expect(try await response.body.next() == Array("abc".utf8))
        await #expect(throws: HTTPError.connectionLost("127.0.0.1")) { try await response.body.next() }
        await #expect(throws: HTTPError.connectionLost("127.0.0.1")) { try await response.body.next() }
        await server.stop()
    }

    @Test func connectionClosedWithoutAnAnswer() async throws {
        let server = try await LocalServer(answers: [LocalAnswer([.close])])
        await #expect(throws: HTTPError.connectionLost("127.0.0.1")) { try await client.send(HTTPRequest("GET", server.url)) }
        await server.stop()
    }

    @Test("Answers that are no HTTP", arguments: ["SSH-2.0-OpenSSH_9\r\n", "\0\0\0\u{12}\u{4}\0\0", "HTTP/9.9 abc\r\n\r\n"])
    func refusesWhatIsNoHTTP(text: String) async throws {
        let server = try await LocalServer(answers: [LocalAnswer([.raw(Array(text.utf8)), .close])])
        let error = await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest("GET", server.url)) }
        #expect(error == .notHTTP("127.0.0.1") || error == .connectionLost("127.0.0.1"), "\(String(describing: error))")
        await server.stop()
    }

    @Test("A head without end is cut off", arguments: [true, false])
    func headTooLarge(isOneLine: Bool) async throws {
        let line = isOneLine ? "X: " + String(repeating: "y", count: 90_000) + "\r\n" : String(repeating: "X: y\r\n", count: 20_000)
        let server = try await LocalServer(answers: [LocalAnswer([.raw(Array("HTTP/1.1 200 OK\r\n\(line)\r\n".utf8))])])
        await #expect(throws: HTTPError.headTooLarge) { try await client.send(HTTPRequest("GET", server.url)) }
        await server.stop()
    }

    @Test func bodyOverTheLimitOfTheRequest() async throws {
        let server = try await LocalServer(answers: [
            .stream([.chunk([1, 2, 3]), .pause(.milliseconds(20)), .endless([UInt8](repeating: 0, count: 512))])
        ])
        var request = HTTPRequest("GET", server.url)
        request.maximumBodyLength = 10
        let response = try await client.send(request)
        #expect(try await response.body.next() == [1, 2, 3])
        await #expect(throws: HTTPError.bodyTooLarge(limit: 10)) { try await response.body.next() }
        _ = await server.waitForClosings(1)
        await server.stop()
    }

    @Test("The limit of a collector is exact", arguments: [(4, false), (5, true)])
    func collectLimit(limit: Int, fits: Bool) async throws {
        let server = try await LocalServer(answers: [.whole(200, Array("hello".utf8), type: "text/plain")])
        let response = try await client.send(HTTPRequest("GET", server.url))
        let bytes = try? await response.collect(limit: limit)
        #expect((bytes != nil) == fits)
        await server.stop()
    }

    @Test func nobodyListens() async throws {
        let server = try await LocalServer(answers: [.json(200, [:])])
        let url = server.url
        await server.stop()
        await #expect(throws: HTTPError.unreachable("127.0.0.1")) { try await client.send(HTTPRequest("GET", url)) }
    }

    @Test func aHundredRequestsAtOnce() async throws {
        let server = try await LocalServer { .json(200, .string($0.target)) }
        let client = client
        let answers = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for number in 0..<100 {
                group.addTask {
                    let response = try await client.send(HTTPRequest("GET", server.url + "/\(number)"))
                    return (number, try await response.collect(limit: 100))
                }
            }
            return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
        }
        #expect(answers.count == 100)
        #expect(answers.allSatisfy { $0.value == Array("\"/\($0.key)\"".utf8) })
        await server.stop()
    }
}
