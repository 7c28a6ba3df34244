import RelayProtocol
import Testing

@testable import DeckNode

struct OpenHistoryTests {
    let one = DeckTests.identity(1), two = DeckTests.identity(2), three = DeckTests.identity(3)

    @Test func stepsBackAndForwardAsABrowserDoes() {
        var history = OpenHistory()
        #expect(mutating(&history) { $0.back { _ in true } } == nil)
        for identity in [one, two, two, three] { history.open(identity) }
        #expect(mutating(&history) { $0.forward { _ in true } } == nil)
        #expect(mutating(&history) { $0.back { _ in true } } == two)
        #expect(mutating(&history) { $0.back { _ in true } } == one)
        #expect(mutating(&history) { $0.back { _ in true } } == nil)
        #expect(mutating(&history) { $0.forward { _ in true } } == two)
        history.open(one)
        #expect(mutating(&history) { $0.forward { _ in true } } == nil, "what lay ahead is forgotten")
        #expect(mutating(&history) { $0.back { _ in true } } == two)
    }

    @Test func tasksThatAreGoneAreSteppedOver() {
        var history = OpenHistory()
        for identity in [one, two, three] { history.open(identity) }
        #expect(mutating(&history) { $0.back { $0 != two } } == one)
    }

    @Test func isBounded() {
        var history = OpenHistory()
        for number in 0..<100 { history.open(TaskIdentity(bytes: [UInt8(number)])) }
        var steps = 0
        while mutating(&history, { $0.back { _ in true } }) != nil { steps += 1 }
        #expect(steps == OpenHistory.limit - 1)
    }
}
