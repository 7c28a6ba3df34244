import CodexKit
import RelayProtocol
import Synchronization

/// What is being played in which thread. The director writes it; the pretended model and the pretended tools read it.
final class DemoStage: Sendable {
    /// A turn under way.
    struct Performance: Sendable {
        var scene: DemoScene
        var turn: DemoTimetable.Turn
    }

    private struct State {
        var performances: [TaskIdentity: Performance] = [:]
        var meter: DemoMeter
    }

    let clock: DemoClock
    private let seed: UInt64
    private let state: Mutex<State>

    init(seed: UInt64, clock: DemoClock, now: UnixMilliseconds) {
        self.seed = seed
        self.clock = clock
        state = Mutex(State(meter: DemoMeter(now: now)))
    }

    // MARK: For the director

    func begin(_ performance: Performance, in thread: TaskIdentity) { state.withLock { $0.performances[thread] = performance } }
    func end(in thread: TaskIdentity) { state.withLock { $0.performances[thread] = nil } }
    func fill(_ thread: TaskIdentity, percent: Int) { state.withLock { $0.meter.begin(thread, percent: percent) } }

    /// A thread that is gone takes nothing with it but its past.
    func forget(_ thread: TaskIdentity) {
        state.withLock { state in
            state.performances[thread] = nil
            state.meter.forget(thread)
        }
    }

    func usage(now: UnixMilliseconds) -> Usage { state.withLock { $0.meter.usage(now: now) } }

    // MARK: For the tools

    /// What a pretended tool answers.
    func output(of invocation: ToolInvocation) -> String {
        let scene = TaskIdentity(invocation.threadID).flatMap { thread in state.withLock { $0.performances[thread]?.scene } }
        let call = scene?.calls.first { $0.tool == invocation.toolName && $0.arguments == invocation.arguments }
        return call?.output ?? "This is a demo: nothing was read or run."
    }

    // MARK: For the model

    /// The answer to a question of the runtime, with its times.
    func answer(to request: AgentBackendRequest) -> [DemoBeat] {
        let now = clock.elapsed()
        let position = DemoPosition(request.input)
        guard let thread = TaskIdentity(request.threadID) else { return [] }
        let playing = state.withLock { $0.performances[thread] }
        let isPlayed = playing?.scene.prompt == position.prompt
        let performance = playing.flatMap { isPlayed ? $0 : nil } ?? Self.visit(position.prompt, now)
        let scene = performance.scene
        let answer = scene.answer(after: position.outputs.count, wasAccepted: position.accepts(scene))
        var random = SplitMix64.of(
            seed: seed, Self.hash(thread.uuid), UInt64(bitPattern: Int64(performance.turn.number)), UInt64(position.outputs.count))
        let (input, output) = state.withLock { $0.meter.answered(thread, random: &random) }
        return DemoBeat.beats(
            of: answer, id: "demo_\(performance.turn.number)_\(position.outputs.count)",
            usage: AgentUsage(inputTokens: input, cachedInputTokens: input * 4 / 5, outputTokens: output), from: now,
            to: DemoTimetable.deadline(of: answer.place, in: performance.turn, now: now),
            interval: isPlayed ? DemoBeat.usualInterval : DemoBeat.visitInterval)
    }

    /// Somebody asks the demo something.
    private static func visit(_ prompt: String, _ now: Duration) -> Performance {
        Performance(
            scene: DemoLife.visitor(prompt: prompt),
            turn: DemoTimetable.Turn(number: 0, begin: now, decision: nil, closing: .seconds(4), mayFail: false))
    }

    /// FNV-1a: the same in each run, unlike `hashValue`.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}

/// How far the latest turn of a conversation has come, read from what the runtime sends to a model.
struct DemoPosition: Hashable, Sendable {
    /// What the person wrote last.
    private(set) var prompt = ""
    /// What its calls were answered with, in their order.
    private(set) var outputs: [[ToolResultContent]] = []

    init(_ input: [AgentInputItem]) {
        for item in input {
            switch item {
            case .message(.user, let parts):
                prompt = parts.compactMap { if case .text(let text) = $0 { text } else { nil } }.joined(separator: "\n")
                outputs = []
            case .functionCallOutput(_, let output): outputs.append(output)
            case .message, .functionCall, .opaque: break
            }
        }
    }

    /// Whether a person said yes to the question of a scene, or chose its first option.
    func accepts(_ scene: DemoScene) -> Bool {
        guard let index = scene.questionIndex, let call = scene.question?.call, outputs.indices.contains(index) else { return true }
        guard call.tool == AgentQuestions.toolName else { return outputs[index] != Self.denial(of: call.tool) }
        return outputs[index] == (call.arguments["options"]?.array?.first?.string).map { [.text($0)] }
    }

    /// What the runtime tells the model when a person said no.
    private static func denial(of tool: String) -> [ToolResultContent] {
        ToolResultEnvelope.denied(invocation: ToolInvocation(id: "", threadID: "", turnID: "", toolName: tool, arguments: .null)).content
    }
}
