import CodexKit
import FoundationEssentials

/// Answers as it is told, and keeps what it was asked.
struct ScriptedBackend: AgentBackend {
    enum Step: Sendable {
        case event(AgentBackendEvent)
        case fail(AgentRuntimeError)
        /// Waits until the gate is opened, or the reader is cancelled.
        case wait(Gate)
    }

    var defaultModel = "scripted"
    var baseInstructions: String?
    let requests = RequestLog()
    /// What to answer to a request; the number counts them from 0.
    let script: @Sendable (AgentBackendRequest, Int) -> [Step]

    init(baseInstructions: String? = nil, _ script: @escaping @Sendable (AgentBackendRequest, Int) -> [Step]) {
        self.baseInstructions = baseInstructions
        self.script = script
    }

    /// Answers the first request with the first list, the second with the second, …, and all further ones with the last.
    init(baseInstructions: String? = nil, _ answers: [Step]...) {
        self.init(baseInstructions: baseInstructions) { _, number in answers[min(number, answers.count - 1)] }
    }

    func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream {
        let run = Run(backend: self, request: request)
        return AgentTurnStream(unfolding: { try await run.next() })
    }

    private actor Run {
        let backend: ScriptedBackend
        let request: AgentBackendRequest
        var steps: [Step]?

        init(backend: ScriptedBackend, request: AgentBackendRequest) {
            self.backend = backend
            self.request = request
        }

        func next() async throws -> AgentBackendEvent? {
            if steps == nil {
                let number = await backend.requests.add(request)
                steps = backend.script(request, number)
            }
            while let step = steps?.first {
                steps?.removeFirst()
                switch step {
                case .event(let event): return event
                case .fail(let error): throw error
                case .wait(let gate): await gate.wait()
                }
                if Task.isCancelled { throw AgentRuntimeError(code: .cancelled, message: "cancelled") }
            }
            return nil
        }
    }
}

actor RequestLog {
    private(set) var all: [AgentBackendRequest] = []

    func add(_ request: AgentBackendRequest) -> Int {
        all.append(request)
        return all.count - 1
    }

    var last: AgentBackendRequest? { all.last }
}

/// Something to wait for, also for nothing when the waiting task is cancelled.
actor Gate {
    private var isOpen = false
    private var waiting: [UUID: CheckedContinuation<Void, Never>] = [:]
    private var arrivals: [CheckedContinuation<Void, Never>] = []
    private var hasArrived = false

    func open() {
        isOpen = true
        for continuation in waiting.values { continuation.resume() }
        waiting = [:]
    }

    func wait() async {
        hasArrived = true
        for arrival in arrivals { arrival.resume() }
        arrivals = []
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isOpen || Task.isCancelled { continuation.resume() } else { waiting[id] = continuation }
            }
        } onCancel: {
            Task { await self.leave(id) }
        }
    }

    /// Returns when somebody waits, or has waited.
    func somebodyWaits() async {
        if hasArrived { return }
        await withCheckedContinuation { arrivals.append($0) }
    }

    private func leave(_ id: UUID) { waiting.removeValue(forKey: id)?.resume() }
}

extension [ScriptedBackend.Step] {
    /// An answer of one message, in two pieces.
    static func text(_ text: String, usage: AgentUsage? = nil) -> Self {
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        return [
            .event(.textDelta(itemID: "m", delta: String(text[..<middle]))), .event(.textDelta(itemID: "m", delta: String(text[middle...]))),
            .event(.message(AgentBackendMessage(id: "m", text: text))), .event(.completed(AgentBackendCompletion(responseID: "r", usage: usage))),
        ]
    }

    /// An answer that calls tools.
    static func calls(_ calls: (name: String, arguments: String)...) -> Self {
        calls.enumerated().map { index, call in
            .event(.functionCall(AgentFunctionCall(callID: "call_\(call.name)_\(index)", name: call.name, arguments: call.arguments)))
        } + [.event(.completed(AgentBackendCompletion(responseID: "r")))]
    }

    static func call(_ name: String, _ arguments: String = "{}") -> Self { calls((name, arguments)) }
}
