import ServerSentEvents

@testable import CodexKit

let codexKitTargets = [
    FuzzTarget("server-sent-events", maximumLength: 1024) { bytes in
        let whole = read([bytes])
        expect(whole == read(bytes.pieces), "how a stream is cut changes nothing")
        for event in whole.events {
            expect(event.data.count <= lineLimit && !event.type.isEmpty, "an event is within the limit and has a type")
            expect(!event.data.contains(0x0d), "no line end but a line feed is left in the data")
        }
    },
    FuzzTarget("responses-events", maximumLength: 8192) { bytes in
        let whole = decode([bytes])
        expect(whole == decode(bytes.pieces), "how a stream is cut changes nothing")
        for (index, event) in whole.events.enumerated() {
            switch event {
            case .completed(let completion):
                expect(index == whole.events.count - 1, "nothing follows the end of an answer")
                checkUsage(completion.usage)
            case .textDelta(_, let delta): expect(!delta.isEmpty, "a piece of an answer is not empty")
            case .image(let image): expect(!image.data.isEmpty && image.mimeType.hasPrefix("image/"), "a picture is one")
            default: break
            }
        }
        guard let failure = whole.failure else { return }
        expect(failure.message.hasSuffix(".") || failure.message.hasSuffix("again"), "a failure has its sentence")
        expect(failure.message.utf8.count < 2048, "a failure's sentence is short")
        if let wait = failure.retryAfter { expect(wait >= .zero && wait <= .seconds(31_536_000), "a wait is between nothing and a year") }
    },
    FuzzTarget("oauth-callback", maximumLength: 2048) { bytes in
        switch CallbackRequest(head: bytes) {
        case .code(let code, let state):
            expect(!code.isEmpty, "a code is not empty")
            let again = "GET /auth/callback?" + FormCoding.encode([("state", state), ("code", code)]) + " HTTP/1.1\r\n\r\n"
            expect(CallbackRequest(head: Array(again.utf8)) == .code(code, state: state), "a code reads back the same")
        case .refused(let reason, let state):
            let again = "GET /auth/callback?" + FormCoding.encode([("error", reason), ("state", state)]) + " HTTP/1.1\r\n\r\n"
            expect(CallbackRequest(head: Array(again.utf8)) == .refused(reason: reason, state: state), "a refusal reads back the same")
            let shown = ServerAnswer.presentable(reason)
            expect(shown.utf8.count < 2048 && !shown.unicodeScalars.contains { $0.value < 0x20 }, "a reason is shown in one line")
        case .cancel, .other, .malformed: break
        }
    },
]

// MARK: Events

/// Small, so that short inputs reach it.
private let lineLimit = 256

private struct Reading: Equatable {
    var events: [ServerSentEvent] = []
    var failure: ServerSentEventError?
    var unfinished: ServerSentEvent?
}

private func read(_ pieces: [UnsafeRawBufferPointer]) -> Reading {
    var parser = ServerSentEventParser(maximumLength: lineLimit)
    var reading = Reading()
    for piece in pieces {
        parser.receive(piece)
        do throws(ServerSentEventError) {
            while let event = try parser.nextEvent() { reading.events.append(event) }
        } catch {
            reading.failure = error
        }
    }
    reading.unfinished = parser.unfinishedEvent()
    return reading
}

// MARK: Answers of the service

private struct Decoding: Equatable {
    var events: [AgentBackendEvent] = []
    var failure: AgentRuntimeError?
}

private func decode(_ pieces: [UnsafeRawBufferPointer]) -> Decoding {
    var parser = ServerSentEventParser()
    var decoder = ResponsesEventDecoder { .init(timeIntervalSince1970: 1_800_000_000) }
    var decoding = Decoding()
    for piece in pieces {
        parser.receive(piece)
        do {
            while let event = try parser.nextEvent() { decoding.events += try decoder.decode(event) }
        } catch let error as AgentRuntimeError {
            decoding.failure = error
            return decoding
        } catch {
            expect(false, "no event of this length is too large")
        }
    }
    return decoding
}

private func checkUsage(_ usage: AgentUsage?) {
    guard let usage else { return }
    let counts = [usage.inputTokens, usage.cachedInputTokens, usage.outputTokens, usage.reasoningOutputTokens, usage.totalTokens]
    expect(counts.allSatisfy { $0 >= 0 }, "nobody uses less than nothing")
}
