import JSON

@testable import DeckAgents
@testable import DeckNode

let agentTargets = [
    FuzzTarget("ask-event", maximumLength: 2048) { bytes in
        guard let line = ControlLine(line: Array(bytes)) else { return }
        for manner in [AskScreen.Manner(isTerminal: true, canAsk: true), AskScreen.Manner(isJSON: true, isTerminal: true)] {
            var screen = AskScreen(manner)
            var actions: [AskScreen.Action]
            switch line {
            case .event(let json):
                actions = screen.take(json)
                if let event = AgentAskEvent(json: json) { expect(AgentAskEvent(json: event.json) == event, "an event reads back the same") }
            case .end(let reply): actions = screen.finish(reply)
            }
            actions += screen.typed("v") + screen.typed("y") + screen.typed(nil) + screen.lost()
            checkPrintable(actions)
        }
    },
    FuzzTarget("ask-request", maximumLength: 2048) { bytes in
        guard let json = try? JSONParser().parse(bytes), let ask = try? AgentAsk(json: json) else { return }
        expect((try? AgentAsk(json: ask.json)) == ask, "a question reads back the same")
    },
    FuzzTarget("agent-book", maximumLength: 2048) { bytes in
        guard let json = try? JSONParser().parse(bytes), var book = AgentBook(json: json) else { return }
        expect(AgentBook(json: book.json) == book, "a book reads back the same")
        for identity in book.notes.keys { book.change(identity) { $0.resumptions += 1 } }
    },
    FuzzTarget("command-call", maximumLength: 1024) { bytes in
        guard let json = try? JSONParser().parse(bytes), let call = try? CommandCall(json) else { return }
        expect(!call.words.isEmpty && call.words.allSatisfy { !$0.utf8.contains(0) }, "what runs is what was written")
        for line in call.lines + [call.summary] {
            expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) }, "what is shown commands no terminal")
        }
    },
]

/// Nothing that is printed commands a terminal.
private func checkPrintable(_ actions: [AskScreen.Action]) {
    for action in actions {
        let text: String
        switch action {
        case .out(let written), .note(let written): text = written
        default: continue
        }
        let isSafe = text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) }
        expect(isSafe, "what is printed commands no terminal")
    }
}
