import Testing

@testable import DeckNode

struct CalendarTimeTests {
    @Test(arguments: [
        (0, "1970-01-01 00:00"), (-1, "1969-12-31 23:59"), (951_782_399, "2000-02-28 23:59"), (951_782_400, "2000-02-29 00:00"),
        (951_868_800, "2000-03-01 00:00"), (1_709_164_800, "2024-02-29 00:00"), (1_735_689_599, "2024-12-31 23:59"), (1_796_026_705, "2026-11-30 08:18"),
        (4_107_542_400, "2100-03-01 00:00"), (-62_167_219_200, "0000-01-01 00:00"), (253_402_300_799, "9999-12-31 23:59"),
    ] as [(Int64, String)])
    func tellsTheTime(seconds: Int64, text: String) throws {
        let time = try #require(CalendarTime(unixSeconds: seconds))
        #expect(time.date + " " + time.time == text)
    }

    @Test(arguments: [Int64.min, -62_167_219_201, 253_402_300_800, Int64.max])
    func yearsOfOtherLengthsAreNone(seconds: Int64) { #expect(CalendarTime(unixSeconds: seconds) == nil) }
}
