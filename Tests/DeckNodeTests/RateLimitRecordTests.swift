import CodexRollouts
import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer
@testable import DeckNode

/// The daemon's limits as the deck keeps them.
struct RateLimitRecordTests {
    static func limits(_ value: JSONValue) -> RateLimits? { RateLimitRecord(value).map { RateLimits($0, observedAt: Wire.start) } }

    @Test(arguments: [(0, 0), (38, 38), (100, 100), (123.9, 100), (1e300, 100)] as [(Double, Double)])
    func whatIsUsedBeyondTheLimitIsAllOfIt(reported: Double, used: Double) {
        let limits = Self.limits(["primary": ["usedPercent": .number(reported), "windowDurationMins": 300, "resetsAt": 1_796_012_437]])
        #expect(
            limits?.primary
                == .init(usedPercent: used, durationMinutes: 300, resetsAt: UnixMilliseconds(seconds: 1_796_012_437), observedAt: Wire.start))
        #expect(limits?.secondary == nil)
    }

    @Test(arguments: [["usedPercent": -1], ["usedPercent": "38"], [:], nil, 38] as [JSONValue]) func aWindowThatSaysNothingIsNone(window: JSONValue) {
        #expect(Self.limits(["primary": window, "secondary": ["usedPercent": 5]])?.primary == nil)
        #expect(Self.limits(["primary": window, "secondary": ["usedPercent": 5]])?.secondary?.usedPercent == 5)
    }

    /// An answer of the model without limits must not clear what is known.
    @Test func noWindowsKeepTheKnownOnes() throws {
        var known = try #require(Self.limits(["primary": ["usedPercent": 38], "secondary": ["usedPercent": 12]]))
        let before = known
        known.merge(try #require(Self.limits(["primary": nil, "secondary": nil])))
        #expect(known == before)
        known.merge(try #require(Self.limits(["primary": ["usedPercent": 40]])))
        #expect((known.primary?.usedPercent, known.secondary?.usedPercent) == (40, 12))
    }

    @Test(arguments: [(nil, true), ("codex", true), ("codex_other", false), ("", false)] as [(String?, Bool)])
    func onlyTheAccountsOwnFamilyIsMain(id: String?, isMain: Bool) throws {
        let record = try #require(RateLimitRecord(["limitId": id.map { .string($0) } ?? .null]))
        #expect(record.isMain == isMain)
    }
}
