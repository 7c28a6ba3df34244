import RelayProtocol
import Testing

struct TaskStatusTests {
    @Test(arguments: [
        ("off", .off), ("idle", .idle), ("working", .working), ("thinking", .working), ("unread", .finished), ("complete", .finished),
        ("completed", .finished),
        ("done", .finished), ("approval", .waiting), ("awaiting-approval", .waiting), ("awaiting-response", .waiting), ("error", .failed),
        ("novel", .idle),
        ("", .idle), ("Working", .idle),
    ] as [(String, TaskStatus.Meaning)])
    func wordsHaveMeanings(word: String, meaning: TaskStatus.Meaning) {
        #expect(TaskStatus(rawValue: word).meaning == meaning && TaskStatus(rawValue: word).rawValue == word)
    }

    @Test(arguments: [
        (0, nil), (0.5, nil), (1, 1), (1.9, 1), (8.64e15, 8_640_000_000_000_000), (8.65e15, nil), (-1, nil), (.infinity, nil), (-.infinity, nil),
        (.nan, nil),
    ] as [(Double, Int64?)])
    func timesAreWithinRange(number: Double, expected: Int64?) { #expect(UnixMilliseconds(number)?.value == expected) }

    @Test func timesNeverLeaveTheirRange() throws {
        let last = UnixMilliseconds(clamping: .max)
        let first = UnixMilliseconds(clamping: .min)
        #expect(first.value == 1 && last.value == 8_640_000_000_000_000)
        #expect(last.advanced(byMilliseconds: .max) == last && first.advanced(byMilliseconds: .min) == first)
        #expect(first.advanced(byMilliseconds: 5).value == 6 && last.milliseconds(since: first) == last.value - 1)
        #expect(UnixMilliseconds(Int64(0)) == nil && UnixMilliseconds(last.value + 1) == nil && UnixMilliseconds(last.value) == last)
    }

    @Test(arguments: [
        (298.9, .other), (299, .fiveHour), (300, .fiveHour), (301, .fiveHour), (301.1, .other), (10_078, .other), (10_079, .weekly),
        (10_081, .weekly),
        (10_082, .other), (nil, .other), (.nan, .other),
    ] as [(Double?, Usage.Window.Kind)])
    func windowsAreNamedByTheirLength(minutes: Double?, kind: Usage.Window.Kind) { #expect(Usage.Window.Kind(durationMinutes: minutes) == kind) }

    @Test func everyCommandHasItsCapability() throws {
        let key = try #require(TaskKey("local:\(Fixture.uuid)"))
        let commands: [Command] = [
            .agent(slot: 0, threadKey: key, phase: .press), .action(slot: .act06, phase: .press, task: nil),
            .joystick(direction: .up, distance: .press, task: nil),
            .encoder(phase: .press, task: nil), .reasoning(direction: .increase, task: nil), .rateLimitReset, .keycap(.fast, task: nil),
        ]
        #expect(commands.map(\.capability.rawValue) == ["agent", "action", "joystick", "encoder", "reasoning", "rate-limit-reset", "keycap"])
    }
}
