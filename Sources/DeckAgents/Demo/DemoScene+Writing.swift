import CodexKit

/// Short forms in which the lives of the demo are written.
extension DemoScene.Step {
    static func list(_ path: String, _ text: String, _ output: String) -> Self {
        Self(text: text, call: .init(tool: "list_directory", arguments: ["path": .string(path)], output: output))
    }

    static func read(_ path: String, _ text: String, _ output: String) -> Self {
        Self(text: text, call: .init(tool: "read_file", arguments: ["path": .string(path)], output: output))
    }

    static func run(_ command: String, _ text: String, _ output: String) -> Self {
        Self(text: text, call: .init(tool: "run_command", arguments: ["command": .string(command)], output: output))
    }

    /// The person's answer is the output, so there is none here.
    static func ask(_ question: String, _ text: String, _ options: [String]) -> Self {
        Self(
            text: text,
            call: .init(
                tool: AgentQuestions.toolName,
                arguments: ["question": .string(question), "options": .array(options.map { .string($0) })], output: ""))
    }
}

extension DemoScene.Branch {
    static func end(_ steps: DemoScene.Step..., answer: String) -> Self { Self(steps: steps, ending: .answer(answer)) }
    static func fail(_ steps: DemoScene.Step..., text: String, reason: String) -> Self { Self(steps: steps, ending: .failure(text, reason: reason)) }
}

extension DemoScene {
    /// A turn that asks nobody.
    init(_ prompt: String, _ steps: [Step], answer: String) {
        let branch = Branch(steps: [], ending: .answer(answer))
        self.init(prompt: prompt, opening: steps, question: nil, accepted: branch, declined: branch)
    }

    /// The turn with its beginning and its question left out: what is left of it when nobody is asked.
    var withoutQuestion: Self {
        var scene = self
        scene.opening = []
        scene.question = nil
        return scene
    }

    /// A turn that is over at once: the past that a task has when the demo begins.
    var past: Self {
        var scene = withoutQuestion
        scene.accepted.steps = []
        return scene
    }
}
