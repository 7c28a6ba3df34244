import CodexKit
import Synchronization

/// The latest use of the context by each thread, as the service told it; read and written from any thread.
final class UsageMeter: Sendable {
    struct Sample: Hashable {
        var tokens: Int?
        var model: String?
    }

    private let samples = Mutex<[String: Sample]>([:])

    func latest(_ threadID: String) -> Sample? { samples.withLock { $0[threadID] } }

    func note(_ event: AgentBackendEvent, of threadID: String) {
        switch event {
        case .started(_, let model?): samples.withLock { $0[threadID, default: Sample()].model = model }
        case .completed(let end): if let usage = end.usage { samples.withLock { $0[threadID, default: Sample()].tokens = usage.totalTokens } }
        default: break
        }
    }

    func forget(_ threadID: String) { samples.withLock { $0[threadID] = nil } }
}

/// A backend that notes how full each thread's context is: a turn's own sum counts every question to the model, the context is the last one's.
struct MeteredBackend: AgentBackend {
    let base: any AgentBackend
    let meter: UsageMeter

    var defaultModel: String { base.defaultModel }
    var baseInstructions: String? { base.baseInstructions }

    func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        let (meter, threadID) = (meter, request.threadID)
        let answer = Answer(base.respond(to: request, as: sessions))
        return AgentTurnStream(unfolding: {
            let event = try await answer.next()
            if let event { meter.note(event, of: threadID) }
            return event
        })
    }

    /// The events of one answer, for one reader.
    private actor Answer {
        private var events: AgentTurnStream.AsyncIterator?

        init(_ stream: AgentTurnStream) { events = stream.makeAsyncIterator() }

        func next() async throws -> AgentBackendEvent? {
            // Taken out meanwhile: there is one reader, so nobody misses it.
            guard var reader = events.take() else { return nil }
            let event = try await reader.next(isolation: self)
            events = reader
            return event
        }
    }
}
