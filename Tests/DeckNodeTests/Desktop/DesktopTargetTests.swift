import RelayProtocol
import Testing

@testable import DeckNode

struct DesktopTargetTests {
    @Test func everyTargetHasOneRow() {
        #expect(DesktopTarget.rows.map(\.target) == DesktopTarget.allCases)
        #expect(Set(DesktopTarget.rows.map(\.keycap)).count == DesktopTarget.rows.count)
        for row in DesktopTarget.rows {
            #expect(row.verb == DeckVerb(row.keycap), "a key leads to the row of its verb")
            #expect(DesktopTarget(row.verb) == row.target)
            #expect(row.target.opening == row.opening)
            #expect(!row.reason.isEmpty)
        }
    }

    @Test(arguments: [DeckVerb.approve, .copyConversation, .paint, .upload, .microphone, .newTask])
    func otherVerbsOpenNothing(verb: DeckVerb) { #expect(DesktopTarget(verb) == nil) }
}
