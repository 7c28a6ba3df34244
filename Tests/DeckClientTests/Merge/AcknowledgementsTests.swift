import RelayProtocol
import Testing

@testable import DeckClient

struct AcknowledgementsTests {
    @Test func theLastRevisionsOfATaskAreKept() {
        var seen = Acknowledgements()
        for revision in 1...6 { seen.record(Lab.task(1), .init(completion: .number(Int64(revision))), at: Lab.now) }
        #expect(seen.all.first?.completions == [3, 4, 5, 6])
        #expect(seen.hasCompletion(.number(3), of: Lab.task(1)))
        #expect(!seen.hasCompletion(.number(2), of: Lab.task(1)))
        #expect(!seen.hasCompletion(.number(6), of: Lab.task(2)))
    }

    @Test func onlyNewsIsNews() {
        var seen = Acknowledgements()
        let results = [
            seen.record(Lab.task(1), .init(), at: Lab.now), seen.record(Lab.task(1), .init(completion: .number(1)), at: Lab.now),
            seen.record(Lab.task(1), .init(completion: .number(1)), at: Lab.ago(-5)), seen.record(Lab.task(1), .init(error: .number(1)), at: Lab.now),
        ]
        #expect(results == [false, true, false, true])
    }

    @Test func aCompletionIsNoError() {
        var seen = Acknowledgements()
        seen.record(Lab.task(1), .init(completion: .number(1)), at: Lab.now)
        #expect(!seen.hasError(.number(1), of: Lab.task(1)))
        #expect(!seen.hasCompletion(nil, of: Lab.task(1)))
        #expect(!seen.hasError(nil, of: Lab.task(1)))
        #expect(!seen.hasCompletion(.unnumbered, of: Lab.task(1)))
    }

    @Test func theOldestAreForgottenBeyondTheLimit() {
        var seen = Acknowledgements()
        for number in 0..<Acknowledgements.capacity + 5 {
            seen.record(Lab.task(number), .init(completion: .number(1)), at: Lab.ago(-Double(number)))
        }
        #expect(seen.all.count == Acknowledgements.capacity)
        #expect(!seen.hasCompletion(.number(1), of: Lab.task(4)))
        #expect(seen.hasCompletion(.number(1), of: Lab.task(5)))
    }

    @Test func ofOneTaskRememberedTwiceTheNewerCounts() {
        let old = Acknowledgements.Entry(identity: Lab.task(1), completions: [1], at: Lab.ago(9))
        let new = Acknowledgements.Entry(identity: Lab.task(1), completions: [2], at: Lab.ago(1))
        #expect(Acknowledgements([old, new]).all == [new])
        #expect(Acknowledgements([new, old]).all == [new])
    }
}
