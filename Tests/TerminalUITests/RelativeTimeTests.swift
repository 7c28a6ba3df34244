import RelayProtocol
import Testing

@testable import TerminalUI

struct RelativeTimeTests {
    private static let minute: Int64 = 60_000

    @Test(
        "Ages",
        arguments: [
            (-5_000, "now"), (0, "now"), (59_999, "now"), (60_000, "1 min"), (3_599_999, "59 min"), (3_600_000, "1 h"), (172_799_999, "47 h"),
            (172_800_000, "2 d"), (Int64.max, "106751991167 d"), (Int64.min, "now"),
        ] as [(Int64, String)])
    func ages(milliseconds: Int64, text: String) {
        #expect(RelativeTime.age(milliseconds).text == text)
    }

    @Test(
        "What is to come",
        arguments: [
            (-1, "in <1 min"), (0, "in <1 min"), (59_999, "in <1 min"), (60_000, "in 1 min"), (7_800_000, "in 2 h"), (259_200_000, "in 3 d"),
        ] as [(Int64, String)])
    func untils(milliseconds: Int64, text: String) {
        #expect(RelativeTime.until(milliseconds).text == text)
    }

    @Test(
        "An age holds exactly until it changes",
        arguments: [-61_000, -1, 0, 1, 59_999, 60_000, 61_234, 3_599_000, 3_600_000, 9_999_999, 180_000_000])
    func ageChangesWhenItSays(milliseconds: Int64) {
        let age = RelativeTime.age(milliseconds)
        #expect(age.changesAfter > 0)
        #expect(RelativeTime.age(milliseconds + age.changesAfter - 1).text == age.text)
        // A time far in the future is looked at again every other minute.
        if milliseconds > -RelativeTimeTests.minute { #expect(RelativeTime.age(milliseconds + age.changesAfter).text != age.text) }
    }

    @Test("A distance holds exactly until it changes", arguments: [60_000, 61_234, 3_599_000, 3_600_000, 3_600_001, 9_999_999, 180_000_000])
    func untilChangesWhenItSays(milliseconds: Int64) {
        let until = RelativeTime.until(milliseconds)
        #expect(RelativeTime.until(milliseconds - until.changesAfter + 1).text == until.text)
        #expect(RelativeTime.until(milliseconds - until.changesAfter).text != until.text)
    }

    @Test(
        "The user's clock",
        arguments: [
            (1_795_514_400_000, 0, "Tue 10:00"), (1_795_514_400_000, 7_200, "Tue 12:00"), (1_795_514_400_000, -39_600, "Mon 23:00"),
            (1, 0, "Thu 00:00"), (1, -60, "Wed 23:59"), (8_640_000_000_000_000, 0, "Sat 00:00"),
        ] as [(Int64, Int, String)])
    func tellsLocalTime(time: Int64, offset: Int, text: String) {
        let local = LocalTime(UnixMilliseconds(clamping: time), secondsFromUTC: offset)
        #expect(local.text(on: LocalTime(weekday: 0, hour: 0, minute: 0, day: -5)) == text)
        #expect(local.text(on: local) == String(text.dropFirst(4)))
    }
}
