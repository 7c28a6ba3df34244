import Testing

@testable import CodexAppServer

struct LineFramingTests {
    private static let text = "{\"a\":1}\n\n[2]\nlonger than ten bytes\n\u{e9}\nrest"
    private static let lines = ["{\"a\":1}", "[2]", "\u{e9}"].map { Array($0.utf8) }

    @Test func cutsAtLineEnds() {
        var framing = LineFraming(limit: 100)
        let first = framing.receive(bytes("one\ntwo\n\nthr"))
        let second = framing.receive(bytes("ee\n"))
        #expect(first == [bytes("one"), bytes("two")])
        #expect(second == [bytes("three")])
        #expect(framing.skippedLines == 0)
    }

    @Test func everySplitGivesTheSame() {
        let all = bytes(Self.text)
        for first in 0...all.count {
            for second in first...all.count {
                var framing = LineFraming(limit: 10)
                var lines = framing.receive(all[..<first])
                lines += framing.receive(all[first..<second])
                lines += framing.receive(all[second...])
                #expect(lines == Self.lines, "split at \(first) and \(second)")
                #expect(framing.skippedLines == 1)
            }
        }
    }

    @Test func byteByByteGivesTheSame() {
        var framing = LineFraming(limit: 10)
        var lines: [[UInt8]] = []
        for byte in bytes(Self.text) { lines += framing.receive(CollectionOfOne(byte)) }
        #expect(lines == Self.lines)
        #expect(framing.skippedLines == 1)
    }

    @Test(arguments: [1, 9, 10, 11, 12, 100, 1000]) func aLineOverTheLimitIsDroppedAlone(length: Int) {
        for piece in [1, 3, 10, 11, 2000] {
            var framing = LineFraming(limit: 10)
            let all = [UInt8](repeating: 0x61, count: length) + bytes("\nnext\n")
            var lines: [[UInt8]] = []
            for start in stride(from: 0, to: all.count, by: piece) { lines += framing.receive(all[start..<min(start + piece, all.count)]) }
            #expect(lines == (length <= 10 ? [[UInt8](repeating: 0x61, count: length)] : []) + [bytes("next")])
            #expect(framing.skippedLines == (length <= 10 ? 0 : 1))
        }
    }

    @Test func nothingGivesNothing() {
        var framing = LineFraming(limit: 10)
        let none = framing.receive([]) + framing.receive(bytes("\n\n\n"))
        #expect(none.isEmpty)
    }
}

struct OverloadBackoffTests {
    @Test func doublesBetweenHalfAndAllOfTheDelay() {
        var random = Lehmer()
        var full = Duration.milliseconds(100)
        for attempt in 1..<OverloadBackoff.maximumAttempts {
            var delays: [Duration] = []
            for _ in 0..<500 { delays.append(OverloadBackoff.delay(attempt: attempt, using: &random) ?? .zero) }
            #expect(delays.allSatisfy { $0 >= full / 2 && $0 <= full })
            // Spread over the whole range.
            #expect(delays.contains { $0 < full * 0.55 } && delays.contains { $0 > full * 0.95 })
            full = min(full * 2, OverloadBackoff.maximumDelay)
        }
    }

    @Test(arguments: [Int.min, -1, 0, OverloadBackoff.maximumAttempts, 64, Int.max]) func givesUp(attempt: Int) {
        var random = Lehmer()
        let delay = OverloadBackoff.delay(attempt: attempt, using: &random)
        #expect(delay == nil)
    }

    /// The same numbers in every run.
    private struct Lehmer: RandomNumberGenerator {
        var state: UInt64 = 1
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }
}

struct RequestLedgerTests {
    private let start = ContinuousClock.now

    @Test func anAnswerTakesItsRequestOnce() {
        var ledger = RequestLedger<String>()
        let first = ledger.open("first", deadline: start)
        let second = ledger.open("second", deadline: start)
        #expect(first != second)
        let answered = ledger.close(.integer(second))
        #expect(answered == "second")
        let again = ledger.close(.integer(second))
        #expect(again == nil)
        #expect(ledger.count == 1)
    }

    @Test(arguments: [nil, RequestID.string("1"), .integer(0), .integer(-1), .integer(.max), .integer(2)]) func strangeIDsAnswerNothing(
        id: RequestID?
    ) {
        var ledger = RequestLedger<String>()
        _ = ledger.open("first", deadline: start)
        let answered = ledger.close(id)
        #expect(answered == nil)
        #expect(ledger.count == 1)
    }

    @Test func expiresWhatIsDueInTheOrderItWasSent() {
        var ledger = RequestLedger<Int>()
        #expect(ledger.nextDeadline == nil)
        for seconds in [3, 1, 2, 1] { _ = ledger.open(seconds, deadline: start + .seconds(seconds)) }
        #expect(ledger.nextDeadline == start + .seconds(1))
        let early = ledger.expire(now: start + .milliseconds(999))
        let due = ledger.expire(now: start + .seconds(2))
        #expect(early.isEmpty)
        #expect(due == [1, 2, 1])
        #expect(ledger.nextDeadline == start + .seconds(3))
        let late = ledger.close(.integer(2))
        #expect(late == nil)
    }

    @Test func idsAreNotUsedAgain() {
        var ledger = RequestLedger<Int>()
        let first = ledger.open(1, deadline: start)
        let drained = ledger.drain()
        let second = ledger.open(2, deadline: start)
        #expect(drained == [1])
        #expect(first != second)
        #expect(ledger.count == 1)
    }
}
