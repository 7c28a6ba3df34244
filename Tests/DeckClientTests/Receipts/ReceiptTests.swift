import RelayProtocol
import Testing

@testable import DeckClient

struct ReceiptTests {
    private static let steps: [ReceiptRecord.Step] = [
        .sending, .confirmedByHost, .finished(.success, word: "executed", sentence: "s"), .finished(.warning, word: "w", sentence: "s"),
        .finished(.failure, word: "f", sentence: "s"),
    ]

    @Test(arguments: [
        (ClientSettings.Receipts.minimal, true, [false, false, false, true, true]), (.minimal, false, [false, false, false, true, true]),
        (.detailed, true, [true, true, true, true, true]), (.detailed, false, [true, true, true, true, true]),
        (.off, true, [false, false, false, false, true]), (.off, false, [false, false, false, false, false]),
    ])
    func modesShowWhatTheyShould(mode: ClientSettings.Receipts, errors: Bool, expected: [Bool]) {
        var settings = ClientSettings()
        settings.receipts = mode
        settings.alwaysShowCriticalErrors = errors
        #expect(Self.steps.map(settings.shows) == expected)
    }

    @Test func theLastTwentyAreKept() {
        var log = ReceiptLog()
        for _ in 1...25 { _ = log.add(action: "open", task: nil, title: "", hostName: "", step: .sending, at: Lab.now) }
        #expect(log.records.map(\.id) == Array((6...25).reversed()).map(Int64.init))
        let updated = log.update(25, step: .confirmedByHost, at: Lab.now)
        #expect(updated?.step == .confirmedByHost)
        let gone = log.update(5, step: .confirmedByHost, at: Lab.now)
        #expect(gone == nil)
        #expect(ReceiptLog(log.records.shuffled()).records == log.records)
        #expect(ReceiptLog(log.records).lastID == 25)
    }

    @Test func whatAnEngineLeftUnderWayEndsAsUnknown() {
        var log = ReceiptLog()
        for (index, step) in Self.steps.enumerated() {
            _ = log.add(action: "open", task: nil, title: "", hostName: index == 0 ? "vm" : "", step: step, at: Lab.now)
        }
        let later = Lab.now.advanced(byMilliseconds: 5000)
        let before = log.records
        log.abandonOpen(at: later)
        #expect(log.records.prefix(3) == before.prefix(3))
        #expect(log.records.suffix(2).allSatisfy { $0.isFailure && $0.at == later })
        #expect(log.records.last?.sentence == "\(CommandOutcome.unknown(name: "vm"))")
        #expect(log.records[3].sentence == "\(CommandOutcome.unknown(name: "the computer"))")
        #expect(log.lastID == 5)
    }

    @Test(arguments: [
        CommandOutcome.stateConfirmed, .alreadyOpen, .executed, .noConfirmingSnapshot, .offlineHost(name: "vm"), .oldSnapshot(name: "vm", seconds: 9),
        .oldSnapshot(name: "vm", seconds: nil), .missingTask, .unreadableKey, .changedMeanwhile, .unsupported(.reasoning, name: "vm"),
        .unsupported(.rateLimitReset, name: "vm"),
        .rejected("No \"approval\"."), .timedOut(name: "vm"), .notSent(name: "vm"), .unknown(name: "vm"), .interrupted, .alreadyUnderWay,
    ])
    func everyOutcomeSurvivesTheSocketAndTheFile(outcome: CommandOutcome) throws {
        #expect(CommandOutcome(json: outcome.json) == outcome)
        let step = try #require(ReceiptRecord.Step(.finished(outcome)))
        let record = ReceiptRecord(id: 4, action: "open", task: Lab.task(1), title: "t", hostName: "vm", step: step, at: Lab.now)
        #expect(ReceiptRecord(json: record.json) == record)
        #expect(record.sentence == "\(outcome)")
    }

    @Test(arguments: [
        ClientRequest.open(Lab.task(1)), .approve(Lab.task(1)), .decline(Lab.task(1)), .control(.keycap(.mindIncrease), .selected),
        .control(.lowerKey(.act10And11), .task(Lab.task(2))), .control(.joystick(.left), .host(Lab.hostID(1))), .control(.encoder, .selected),
        .control(.reasoning(.increase), .selected), .control(.resetLimit, .host(Lab.hostID(2))),
    ])
    func everyRequestSurvivesTheSocket(request: ClientRequest) { #expect(ClientRequest(json: request.json) == request) }

    @Test(arguments: [
        #"{"do":"open"}"#, #"{"do":"open","task":"x"}"#, #"{"do":"keycap","name":"NONE"}"#, #"{"do":"keycap","name":"FAST","task":"x"}"#,
        #"{"do":"encoder","host":7}"#, #"{"do":"shell","name":"rm"}"#, #"[]"#,
        #"{"do":"encoder","task":"00000001-aaaa-4000-8000-000000000000","host":"00000001-bbbb-4000-8000-000000000000"}"#,
    ])
    func whatCannotBeReadIsNoOtherRequest(text: String) throws {
        #expect(ClientRequest(json: try parse(text)) == nil)
    }
}
