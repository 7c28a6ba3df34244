import CodexKit

/// A model that reads its answers from the scripts of the demo. It talks to nobody.
struct ScriptedBackend: AgentBackend {
    static let model = "demo"

    let stage: DemoStage

    var defaultModel: String { Self.model }
    var baseInstructions: String? { nil }

    func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        let answer = ScriptedAnswer(request, stage)
        return AgentTurnStream(unfolding: { try await answer.next() })
    }
}

/// One answer, for one reader.
private actor ScriptedAnswer {
    private let request: AgentBackendRequest
    private let stage: DemoStage
    /// Written with the first event that is asked for.
    private var beats: ArraySlice<DemoBeat>?
    private var events: ArraySlice<AgentBackendEvent> = []
    private var failure: AgentRuntimeError?

    init(_ request: AgentBackendRequest, _ stage: DemoStage) {
        self.request = request
        self.stage = stage
    }

    func next() async throws -> AgentBackendEvent? {
        while events.isEmpty {
            if let failure { throw failure }
            let left = beats ?? stage.answer(to: request)[...]
            beats = left.dropFirst()
            guard let beat = left.first else { return nil }
            do {
                try await stage.clock.sleep(beat.at)
            } catch {
                throw AgentRuntimeError(code: .cancelled, message: "The demo's answer was stopped.")
            }
            events = beat.events[...]
            failure = beat.failure
        }
        return events.popFirst()
    }
}
