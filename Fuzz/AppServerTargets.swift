import JSON
import RelayProtocol

@testable import CodexAppServer

let appServerTargets = [
    FuzzTarget("app-server-message", maximumLength: 8192) { bytes in
        guard let message = try? reader.read(Array(bytes)) else { return }
        let encoded = message.encoded()
        if !holdsReason(message) { expect((try? reader.read(encoded)) == message, "what is written reads back the same") }
        switch message {
        case .notification(let method, let params): checkEvent(method, params)
        case .request(let id, let method, let params): checkRequest(ServerRequest(id: id, method: method, params: params))
        case .response(_, let result): checkAnswers(result)
        case .failure(_, let error):
            let sentence = AppServerError.refused(error).description
            expect(sentence.hasSuffix(".") && sentence.utf8.count < 200, "a refusal has its sentence")
        }
    },
    FuzzTarget("app-server-lines", maximumLength: 1024) { bytes in
        var whole = LineFraming(limit: 64)
        var cut = LineFraming(limit: 64)
        let lines = whole.receive(bytes)
        var pieces: [[UInt8]] = []
        for piece in bytes.pieces { pieces += cut.receive(piece) }
        expect(lines == pieces && whole.skippedLines == cut.skippedLines, "how the bytes are cut changes nothing")
        expect(lines.allSatisfy { !$0.isEmpty && $0.count <= 64 && !$0.contains(0x0a) }, "a line is a line within the limit")
    },
]

private let reader = MessageReader(wanted: AppServerEvent.methods)

/// The reason of an error is for us, and is not written.
private func holdsReason(_ message: RPCMessage) -> Bool {
    if case .failure(_, let error) = message { error.reason != nil } else { false }
}

private func checkEvent(_ method: String, _ params: JSONValue) {
    switch AppServerEvent(method: method, params: params) {
    case .tokenUsage(_, let usage):
        if let percent = usage.contextUsedPercent { expect((0...100).contains(percent), "a share is between nothing and all") }
    case .rateLimits(let limits):
        for window in [limits.primary, limits.secondary] { expect((window?.usedPercent ?? 0) >= 0, "nobody uses less than nothing") }
    case .threadStarted(let thread):
        expect(thread.folder?.hasPrefix("/") ?? true, "a folder is an absolute path")
    default: break
    }
}

private func checkRequest(_ request: ServerRequest) {
    let answers = [request.approval, request.refusal, request.firstOptions]
    for case let answer? in answers {
        let sent = RPCMessage.response(id: request.id, result: answer)
        expect((try? reader.read(sent.encoded())) == sent, "an answer can be read")
    }
    if case .unknown = request.kind { expect(answers.allSatisfy { $0 == nil }, "what is not known is not answered") }
    if request.isApproval { expect(request.refusal != nil && request.firstOptions == nil, "what can be approved can be refused") }
}

private func checkAnswers(_ result: JSONValue) {
    let id = TaskIdentity("01a22b92-b616-7573-b811-110cc6dce3bd")
    expect((ServerInfo(result).version ?? "").utf8.count <= 32, "a version is short")
    if let page = AppServerCall.threadList().read(result) { expect(page.hasReadStates || page.readStates.isEmpty, "marks come from a list of marks") }
    _ = AppServerCall.loadedThreads().read(result)
    for model in AppServerCall.models().read(result) ?? [] {
        for current in model.efforts + [model.defaultEffort ?? ""] {
            for upwards in [true, false] {
                let next = model.effort(after: current, upwards: upwards)
                expect(next.map(model.efforts.contains) ?? !model.efforts.contains(current), "the next effort is one that is offered")
            }
        }
    }
    _ = AppServerCall.rateLimits().read(result)
    _ = AppServerCall.useResetCredit(key: "k").read(result)
    guard let id else { return }
    _ = AppServerCall.readThread(id).read(result)
    _ = AppServerCall.latestTurn(id).read(result)
    _ = AppServerCall.resume(loaded: id).read(result)
    _ = AppServerCall.startTurn(id, text: "").read(result)
    _ = AppServerCall.steerTurn(id, turnID: "", text: "").read(result)
    _ = AppServerCall.run([], in: "/", policy: nil, timeout: .zero).read(result)
}
