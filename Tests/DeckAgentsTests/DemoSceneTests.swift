import CodexKit
import JSON
import Testing

@testable import DeckAgents

struct DemoSceneTests {
    static let lives = DemoLife.cast.map(\.life) + [.fork, .newTask]

    /// Plays a scene to its end.
    func play(_ scene: DemoScene, accepting: Bool) -> [DemoScene.Answer] {
        var answers: [DemoScene.Answer] = []
        while answers.count < 40 {
            let answer = scene.answer(after: answers.count, wasAccepted: accepting)
            answers.append(answer)
            if case .end = answer { return answers }
        }
        return []
    }

    @Test func everySceneEndsEitherWay() {
        for scene in Self.lives.flatMap(\.scenes) {
            for accepting in [true, false] {
                let answers = play(scene, accepting: accepting)
                let branch = accepting ? scene.accepted : scene.declined
                #expect(answers.count == scene.opening.count + (scene.question == nil ? 0 : 1) + branch.steps.count + 1, "\(scene.prompt)")
                #expect(answers.allSatisfy { !$0.text.isEmpty })
            }
        }
    }

    /// A command always asks, so it belongs to the question alone.
    @Test func aTurnAsksOnceAtMost() {
        for life in Self.lives {
            for scene in life.scenes + life.scenes.indices.map({ life.scene($0, fails: true) }) {
                let others = (scene.opening + scene.accepted.steps + scene.declined.steps).map(\.call.tool)
                #expect(!others.contains("run_command") && !others.contains(AgentQuestions.toolName), "\(scene.prompt)")
            }
        }
    }

    @Test func aNoLeadsSomewhereElse() {
        for scene in Self.lives.flatMap(\.scenes) where scene.question != nil {
            let index = (scene.questionIndex ?? 0) + 1
            #expect(play(scene, accepting: true)[index...] != play(scene, accepting: false)[index...])
            #expect(scene.accepted.ending != scene.declined.ending, "\(scene.prompt)")
        }
    }

    @Test func placesRunUpToTheirCounts() {
        for scene in Self.lives.flatMap(\.scenes) {
            let places = play(scene, accepting: true).map(\.place)
            let before = places.compactMap { if case .before(let index, let count) = $0 { [index, count] } else { nil } }
            let after = places.compactMap { if case .after(let index, let count) = $0 { [index, count] } else { nil } }
            for list in [before, after] {
                #expect(list.enumerated().allSatisfy { $0.element == [$0.offset, list.count] }, "\(scene.prompt): \(list)")
            }
        }
    }

    @Test func titlesSayWhatTheyAre() {
        #expect(DemoLife.titles.allSatisfy { $0.hasPrefix("Demo: ") && $0.count <= 60 })
        #expect(Set(DemoLife.titles).count == DemoLife.titles.count)
        #expect(DemoLife.cast.count == 6)
    }

    /// The backend knows a turn by its prompt.
    @Test func promptsOfALifeDiffer() {
        for life in Self.lives { #expect(Set(life.scenes.map(\.prompt)).count == life.scenes.count) }
    }

    @Test(arguments: [-3, -2, -1, 0, 1, 2, 3, 1_000]) func turnsOfAnyNumberHaveAScene(number: Int) {
        #expect(DemoLife.schema.scene(number) == DemoLife.schema.scenes[abs(number) % 2])
    }

    @Test func aTurnThatFailsFailsWithTheYes() throws {
        let setback = try #require(DemoLife.schema.setback)
        #expect(DemoLife.schema.scene(0, fails: true).accepted == setback)
        #expect(DemoLife.schema.scene(0, fails: true).declined == DemoLife.schema.scenes[0].declined)
        #expect(DemoLife.importer.scene(0, fails: true) == DemoLife.importer.scenes[0], "one that cannot fail goes on")
    }

    // MARK: Where a conversation stands

    let scene = DemoLife.schema.scenes[0]
    func conversation(_ outputs: [ToolResultContent]...) -> [AgentInputItem] {
        [.text(.user, "Something long ago"), .functionCallOutput(callID: "x", output: [.text("old")]), .text(.assistant, "Done"),
         .text(.developer, "A note"), .text(.user, scene.prompt)]
            + outputs.flatMap { output -> [AgentInputItem] in
                [.functionCall(callID: "c", name: "t", arguments: "{}"), .functionCallOutput(callID: "c", output: output)]
            }
    }

    @Test func readsTheTurnFromItsBeginning() {
        let position = DemoPosition(conversation([.text("a")], [.text("b")]))
        #expect(position.prompt == scene.prompt)
        #expect(position.outputs == [[.text("a")], [.text("b")]])
        #expect(DemoPosition([]).prompt.isEmpty)
    }

    @Test func knowsANoFromAnOutputThatMentionsOne() {
        let call = ToolInvocation(id: "1", threadID: "t", turnID: "u", toolName: "run_command", arguments: .object([:]))
        let denied = ToolResultEnvelope.denied(invocation: call).content
        #expect(!DemoPosition(conversation([.text("a")], [.text("b")], denied)).accepts(scene))
        #expect(DemoPosition(conversation([.text("a")], [.text("b")], [.text("denied")])).accepts(scene))
        #expect(DemoPosition(conversation(denied, [.text("b")], [.text("c")])).accepts(scene), "only the question counts")
        #expect(DemoPosition(conversation([.text("a")])).accepts(scene))
    }

    @Test func theFirstOptionIsAYes() {
        let notes = DemoLife.releaseNotes.scenes[0]
        #expect(DemoPosition(conversation([.text("a")], [.text("b")], [.text("People who use the program")])).accepts(notes))
        #expect(!DemoPosition(conversation([.text("a")], [.text("b")], [.text("Developers")])).accepts(notes))
    }

    // MARK: Beats

    @Test func anAnswerComesInPiecesThatMakeItsText() {
        for (answer, seconds) in [(scene.answer(after: 0, wasAccepted: true), 30), (scene.answer(after: 3, wasAccepted: true), 0)] {
            let beats = DemoBeat.beats(
                of: answer, id: "i", usage: AgentUsage(inputTokens: 5, outputTokens: 2), from: .seconds(10), to: .seconds(10 + seconds),
                interval: .seconds(5))
            let text = beats.flatMap(\.events).reduce("") { if case .textDelta(_, let delta) = $1 { $0 + delta } else { $0 } }
            #expect(text == answer.text)
            #expect(beats.count <= 2 + max(1, seconds / 5))
            #expect(zip(beats, beats.dropFirst()).allSatisfy { $0.at <= $1.at })
            #expect(beats.first?.at == .seconds(10) && beats.last?.at == .seconds(10 + seconds))
            let end = AgentBackendCompletion(responseID: "i", usage: AgentUsage(inputTokens: 5, outputTokens: 2))
            #expect(beats.last?.events.last == .completed(end))
        }
    }

    @Test func aFailureEndsTheAnswerInsteadOfItsCompletion() {
        let answer = scene.answer(after: 4, wasAccepted: false)
        let beats = DemoBeat.beats(
            of: answer, id: "i", usage: AgentUsage(inputTokens: 5, outputTokens: 2), from: .zero, to: .seconds(9), interval: .seconds(5))
        #expect(beats.last?.failure?.code == .demoFailure)
        #expect(!beats.flatMap(\.events).contains { if case .completed = $0 { true } else { false } })
    }
}
