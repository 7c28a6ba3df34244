import RelayProtocol
import Testing

@testable import DeckClient

struct DuplicateTrialsTests {
    private static let start = ContinuousClock.now

    /// Two duplicates of one profile, and a profile without any.
    private static let profiles: [NodeProfile] = {
        var profiles = [
            ProfileBookTests.remote("kept", host: 1), ProfileBookTests.remote("twin", host: 1), ProfileBookTests.remote("other", host: 1),
            ProfileBookTests.remote("alone", host: 2),
        ]
        profiles[1].duplicateOf = "kept"
        profiles[2].duplicateOf = "kept"
        return profiles
    }()

    @Test func duplicatesAreLeftAloneWhileTheKeptOneWorks() {
        var trials = DuplicateTrials()
        for seconds in [0.0, 2, 100] {
            let due = trials.update(Self.profiles, connected: ["kept"], now: Self.start + .seconds(seconds))
            #expect(due == [])
            #expect(trials.nextDeadline == nil)
        }
    }

    @Test(arguments: [(0.0, false), (1.999, false), (2, true), (60, true)])
    func theyAreDialledWhenItHasBeenMissedForAWhile(seconds: Double, isDue: Bool) {
        var trials = DuplicateTrials()
        let first = trials.update(Self.profiles, connected: ["alone"], now: Self.start)
        #expect(first == [])
        #expect(trials.nextDeadline == Self.start + .seconds(2))
        let due = trials.update(Self.profiles, connected: ["alone"], now: Self.start + .seconds(seconds))
        #expect(due == (isDue ? ["twin", "other"] : []))
        #expect(trials.nextDeadline == (isDue ? nil : Self.start + .seconds(2)))
    }

    @Test func whatComesBackSoonIsGivenTheWholeTimeAgain() {
        var trials = DuplicateTrials()
        _ = trials.update(Self.profiles, connected: [], now: Self.start)
        _ = trials.update(Self.profiles, connected: ["kept"], now: Self.start + .seconds(1))
        let due = trials.update(Self.profiles, connected: [], now: Self.start + .seconds(3))
        #expect(due == [])
        #expect(trials.nextDeadline == Self.start + .seconds(5))
    }

    @Test func theyAreHungUpWhenItIsBack() {
        var trials = DuplicateTrials()
        _ = trials.update(Self.profiles, connected: [], now: Self.start)
        let due = trials.update(Self.profiles, connected: [], now: Self.start + .seconds(2))
        #expect(due == ["twin", "other"])
        let back = trials.update(Self.profiles, connected: ["kept", "twin"], now: Self.start + .seconds(3))
        #expect(back == [])
    }

    @Test func anotherOneThatIsKeptIsTimedByItself() {
        var trials = DuplicateTrials()
        _ = trials.update(Self.profiles, connected: [], now: Self.start)
        _ = trials.update(Self.profiles, connected: [], now: Self.start + .seconds(2))
        var swapped = Self.profiles
        swapped[0].duplicateOf = "twin"
        swapped[1].duplicateOf = nil
        swapped[2].duplicateOf = "twin"
        let live = trials.update(swapped, connected: ["twin"], now: Self.start + .seconds(3))
        #expect(live == [])
        let lost = trials.update(swapped, connected: [], now: Self.start + .seconds(9))
        #expect(lost == [])
        #expect(trials.nextDeadline == Self.start + .seconds(11))
        let due = trials.update(swapped, connected: [], now: Self.start + .seconds(11))
        #expect(due == ["kept", "other"])
    }
}
