import HTTP
import ServerSentEvents

/// One question under way: sends it, sends it again where that is allowed, and reads the answer as its events are asked for.
///
/// The connection ends with it.
actor ResponseTurn {
    private let request: ResponsesRequest
    private let body: [UInt8]
    private let sessions: any AgentSessionProviding
    private let http: HTTPClient
    private let environment: CodexResponsesBackend.Environment

    private enum State {
        /// Nothing is sent; the wait comes first.
        case waiting(Duration)
        case reading(HTTPBody)
        case over
    }

    private var state = State.waiting(.zero)
    private var parser = ServerSentEventParser()
    private var decoder: ResponsesEventDecoder
    private var queue: ArraySlice<AgentBackendEvent> = []
    private var attempt = 1
    private var hasOutput = false
    private var hasNewSession = false

    init(
        _ request: ResponsesRequest, sessions: any AgentSessionProviding, http: HTTPClient, environment: CodexResponsesBackend.Environment
    ) {
        self.request = request
        body = request.body()
        self.sessions = sessions
        self.http = http
        self.environment = environment
        decoder = ResponsesEventDecoder(now: environment.clock.now)
    }

    /// The next event; `nil` after the end.
    ///
    /// - Throws: ``AgentRuntimeError``.
    func next() async throws -> AgentBackendEvent? {
        while true {
            if let event = queue.popFirst() {
                if event.isOutput { hasOutput = true }
                return event
            }
            do {
                switch state {
                case .over: return nil
                case .waiting(let delay): try await begin(after: delay)
                case .reading(let body): try await read(body)
                }
            } catch {
                try recover(from: Self.failure(error))
            }
        }
    }

    // MARK: Sending

    private func begin(after delay: Duration) async throws {
        if delay > .zero { try await environment.clock.sleep(delay) }
        parser = ServerSentEventParser()
        decoder = ResponsesEventDecoder(now: environment.clock.now)
        let response = try await acceptedResponse()
        state = .reading(response.body)
    }

    /// Sends the request; once with another session when the server does not accept the first.
    private func acceptedResponse() async throws -> HTTPResponse {
        var session = try await sessions.validSession()
        while true {
            let response = try await http.send(request.http(body: body, session: session))
            let isPage = ServerAnswer(status: response.status, fields: response.fields, body: []).isChallenge
            if (200..<300).contains(response.status), !isPage { return response }
            let answer = ServerAnswer(status: response.status, fields: response.fields, body: await response.prefix(65_536))
            guard answer.status == 401, !answer.isChallenge, !hasNewSession else {
                throw ResponsesFailure.from(answer, now: environment.clock.now())
            }
            hasNewSession = true
            session = try await sessions.session(replacing: session)
        }
    }

    // MARK: Reading

    private func read(_ body: HTTPBody) async throws {
        if let event = try parser.nextEvent() { return try take(event, of: body) }
        if let bytes = try await body.next() { return parser.receive(bytes) }
        // Some servers leave out the last empty line. Half an event is no JSON, and the answer is then as unfinished as it was.
        if let event = parser.unfinishedEvent(), let events = try? decoder.decode(event) { queue = events[...] }
        state = .over
        guard decoder.isFinished else {
            throw AgentRuntimeError(code: .streamInterrupted, message: "The answer ended before it was complete; try again.")
        }
    }

    private func take(_ event: ServerSentEvent, of body: HTTPBody) throws {
        queue = try decoder.decode(event)[...]
        guard decoder.isFinished else { return }
        // The end of the body is on its way; after it the connection serves the next request.
        body.drain()
        state = .over
    }

    // MARK: Failing

    /// Plans another attempt, or throws what went wrong.
    private func recover(from failure: AgentRuntimeError) throws {
        let policy = request.configuration.requestRetryPolicy
        guard !hasOutput, !Task.isCancelled,
            let delay = policy.delay(after: attempt, failure: failure, random: environment.random())
        else {
            state = .over
            throw failure
        }
        attempt += 1
        state = .waiting(delay)
        queue = [.retrying(attempt: attempt, delay: delay, reason: failure)]
    }

    private static func failure(_ error: any Error) -> AgentRuntimeError {
        switch error {
        case let error as AgentRuntimeError: error
        case let error as HTTPError: .from(error)
        case let error as ServerSentEventError: AgentRuntimeError(code: .invalidResponse, message: error.description)
        case is CancellationError: .cancelledRequest
        // Of a session provider of the program's own; its text may hold what nobody has checked.
        default: AgentRuntimeError(code: .refreshFailed, message: "The session could not be obtained; sign in again.")
        }
    }
}

extension AgentBackendEvent {
    /// Whether somebody may have seen or acted on it.
    var isOutput: Bool {
        switch self {
        case .started, .retrying: false
        case .textDelta, .reasoningDelta, .message, .functionCall, .reasoning, .webSearch, .image, .completed: true
        }
    }
}
