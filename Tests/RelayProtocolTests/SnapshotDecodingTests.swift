import JSON
import RelayProtocol
import Testing

struct SnapshotDecodingTests {
    private static let time = UnixMilliseconds(Int64(Fixture.observedAt))!

    private func decode(_ path: String = "", _ value: JSONValue? = nil) throws -> Snapshot {
        let message = path.isEmpty ? Fixture.snapshotMessage : Fixture.snapshotMessage.with("snapshot.\(path)", value)
        guard case .snapshot(_, _, let snapshot) = try NodeMessage(decoding: message.encoded()) else { throw NodeMessageError.unknownType }
        return snapshot
    }

    @Test func readsEveryField() throws {
        let activity = UnixMilliseconds(Int64(1_779_999_999_000))!
        let start = UnixMilliseconds(Int64(1_779_999_990_000))!
        let expected = Snapshot(
            slots: (0..<6).map {
                Slot(
                    id: $0, threadKey: "local:\(Fixture.uuid)", title: "A title", status: .working, activityAt: activity, ownedByHost: true,
                    contextUsedPercent: 41, workStartedAt: start, workStartRevision: 12)
            },
            activeThreadKey: "cloud:not-a-key", activeThreadTitle: "Open",
            layout: KeyLayout(
                slots: [.act06: .init(.fast), .act12: .init(keycapID: "NOVEL", commandID: "c")],
                analogStick: [.up: "plan", .right: "next", .down: "next-slot", .left: "back"]),
            agentSource: .recent, lightingAutoOff: "5-minutes", theme: .light,
            usage: Usage(
                windows: [
                    .init(
                        id: "primary", kind: .fiveHour, usedPercent: 12.5, remainingPercent: 87.5, durationMinutes: 300,
                        resetsAt: UnixMilliseconds(Int64(1_780_000_100_000))),
                    .init(id: "x", kind: .other, usedPercent: 0, remainingPercent: 100, durationMinutes: nil, resetsAt: nil),
                ], observedAt: Self.time, resetCreditsAvailable: 2),
            hostSessions: [
                HostSession(
                    threadID: TaskIdentity(Fixture.uuid)!, activityAt: activity, status: .complete, completionRevision: 99, contextUsedPercent: 7,
                    workStartedAt: start, workStartRevision: 0)
            ])
        #expect(try decode() == expected)
    }

    @Test(arguments: [
        ("slots", nil), ("slots", []), ("slots", .array((0..<5).map(Fixture.slot))), ("slots", .array((0..<7).map(Fixture.slot))),
        ("slots", .array([1, 0, 2, 3, 4, 5].map(Fixture.slot))), ("slots.3", nil), ("slots.3", 1), ("slots.3.id", 2), ("slots.3.id", "3"),
        ("slots.3.id", nil), ("slots.3.threadKey", 1), ("slots.3.title", false), ("slots.3.status", nil), ("slots.3.status", .null),
        ("slots.3.status", 1),
        ("slots.3.selected", nil), ("slots.3.selected", 1), ("slots.3.activityAt", 0), ("slots.3.activityAt", -1), ("slots.3.activityAt", "x"),
        ("slots.3.activityAt", 1e17), ("slots.3.ownedByHost", 1), ("slots.3.contextUsedPercent", -1), ("slots.3.contextUsedPercent", 100.5),
        ("slots.3.contextUsedPercent", "1"), ("activeThreadKey", 1), ("activeThreadTitle", []), ("layout", nil), ("layout", .null),
        ("layout.version", 2),
        ("layout.version", nil), ("layout.slots", nil), ("layout.slots.ACT06", "FAST"), ("layout.slots.ACT06.keycapId", nil),
        ("layout.slots.ACT06.keycapId", 1), ("layout.slots.ACT12.commandId", 1), ("agentSource", nil), ("agentSource", 1), ("lightingAutoOff", 3),
        ("theme", 1), ("usage", 1), ("usage.windows", nil), ("usage.windows", .array(Array(repeating: Fixture.usage["windows"]![0]!, count: 9))),
        ("usage.windows.0.id", ""), ("usage.windows.0.id", .string(String(repeating: "i", count: 65))), ("usage.windows.0.kind", nil),
        ("usage.windows.0.usedPercent", 101), ("usage.windows.0.usedPercent", nil), ("usage.windows.0.remainingPercent", -0.5),
        ("usage.windows.0.windowDurationMins", 0), ("usage.windows.0.windowDurationMins", "300"), ("usage.windows.0.resetsAt", 0),
        ("usage.observedAt", nil), ("usage.resetCreditsAvailable", -1), ("usage.resetCreditsApplicable", 0.5), ("hostSessions", [:]),
        ("hostSessions", .array(Array(repeating: Fixture.session, count: 129))), ("hostSessions.0", 1), ("hostSessions.0.threadId", nil),
        ("hostSessions.0.activityAt", nil), ("hostSessions.0.status", nil), ("hostSessions.0.completionRevision", -1),
        ("hostSessions.0.completionRevision", 1.5), ("hostSessions.0.contextUsedPercent", 200),
    ] as [(String, JSONValue?)])
    func refuses(path: String, value: JSONValue?) {
        let error = #expect(throws: NodeMessageError.self) { try decode(path, value) }
        guard case .invalid = error else {
            Issue.record("\(path): \(String(describing: error))")
            return
        }
    }

    @Test func unknownWordsAreKeptOrTakenAsHarmless() throws {
        #expect(try decode("slots.0.status", "pondering").slots[0].status == TaskStatus(rawValue: "pondering"))
        #expect(try decode("slots.0.status", "").slots[0].status.meaning == .idle)
        #expect(try decode("agentSource", "novel").agentSource == .custom)
        #expect(try decode("theme", "sepia").theme == .dark)
        #expect(try decode("theme", nil).theme == .dark)
        #expect(try decode("lightingAutoOff", nil).lightingAutoOff == "3-minutes")
        #expect(try decode("usage.windows.0.kind", "hourly").usage?.windows[0].kind == .other)
        #expect(try decode("hostSessions.0.status", "novel").hostSessions?[0].status == .idle)
        #expect(try decode("layout.analogStick", nil).layout.analogStick == [:])
        #expect(try decode("layout.analogStick.up", ["id": 1]).layout.analogStick[.up] == nil)
        #expect(try decode("layout.slots", [:]).layout.slots.isEmpty)
    }

    @Test func keysThatAreNoneAreShownAndSessionsWithoutAnIdentityAreLeftOut() throws {
        let snapshot = try decode("slots.2.threadKey", "cloud-task 12")
        #expect(snapshot.slots[2].threadKey == "cloud-task 12" && snapshot.slots[2].identity == nil)
        #expect(try decode("hostSessions.0.threadId", "nonsense").hostSessions == [])
        #expect(try decode("hostSessions.0.threadId", .string(Fixture.uuid.uppercased())).hostSessions?[0].threadID.uuid == Fixture.uuid)
    }

    @Test(arguments: ["threadKey", "title", "activityAt", "ownedByHost", "contextUsedPercent"], [nil, JSONValue.null])
    func optionalMembersOfASlotMayBeMissingOrNull(key: String, value: JSONValue?) throws {
        let slot = try decode("slots.1.\(key)", value).slots[1]
        switch key {
        case "threadKey": #expect(slot.threadKey == nil)
        case "title": #expect(slot.title == nil)
        case "activityAt": #expect(slot.activityAt == nil)
        case "ownedByHost": #expect(slot.ownedByHost == nil)
        default: #expect(slot.contextUsedPercent == nil)
        }
    }

    @Test(arguments: ["activeThreadKey", "activeThreadTitle", "usage", "hostSessions"], [nil, JSONValue.null])
    func optionalMembersOfASnapshotMayBeMissingOrNull(key: String, value: JSONValue?) throws {
        let snapshot = try decode(key, value)
        switch key {
        case "activeThreadKey": #expect(snapshot.activeThreadKey == nil)
        case "activeThreadTitle": #expect(snapshot.activeThreadTitle == nil)
        case "usage": #expect(snapshot.usage == nil)
        default: #expect(snapshot.hostSessions == nil)
        }
    }

    @Test(arguments: [(0, 0), (0.4, 0), (0.5, 1), (41.49, 41), (99.5, 100), (100, 100)] as [(Double, Int)])
    func percentagesAreRounded(sent: Double, expected: Int) throws {
        #expect(try decode("slots.0.contextUsedPercent", .number(sent)).slots[0].contextUsedPercent == expected)
        #expect(try decode("hostSessions.0.contextUsedPercent", .number(sent)).hostSessions?[0].contextUsedPercent == expected)
    }

    @Test(arguments: [
        ("workStartedAt", nil), ("workStartRevision", nil), ("workStartedAt", .null), ("workStartedAt", "x"), ("workStartedAt", 0),
        ("workStartedAt", .number(Double(Fixture.observedAt + 1))), ("workStartRevision", -1), ("workStartRevision", 0.5), ("workStartRevision", "1"),
    ] as [(String, JSONValue?)])
    func theStartOfWorkIsBothMembersOrNeither(key: String, value: JSONValue?) throws {
        let slot = try decode("slots.4.\(key)", value).slots[4]
        #expect(slot.workStartedAt == nil && slot.workStartRevision == nil)
        let session = try #require(try decode("hostSessions.0.\(key)", value).hostSessions?.first)
        #expect(session.workStartedAt == nil && session.workStartRevision == nil)
    }

    @Test func workMayStartAsTheSnapshotIsTaken() throws {
        #expect(try decode("slots.0.workStartedAt", .number(Double(Fixture.observedAt))).slots[0].workStartedAt == Self.time)
    }

    @Test func titlesAreCutToWhatEveryPeerTakes() throws {
        for key in ["activeThreadTitle", "slots.0.title"] {
            for (text, expected) in [
                (String(repeating: "a", count: 240), 240), (String(repeating: "a", count: 241), 240), (String(repeating: "😀", count: 121), 240),
                ("a" + String(repeating: "😀", count: 120), 239), (String(repeating: "👩‍👩‍👧‍👦", count: 30), 231),
            ] {
                let snapshot = try decode(key, .string(text))
                #expect((key == "activeThreadTitle" ? snapshot.activeThreadTitle : snapshot.slots[0].title)?.utf16.count == expected)
            }
        }
    }

    @Test func largestCountsAreTaken() throws {
        #expect(try decode("hostSessions", .array(Array(repeating: Fixture.session, count: 128))).hostSessions?.count == 128)
        #expect(try decode("usage.windows", .array(Array(repeating: Fixture.usage["windows"]![0]!, count: 8))).usage?.windows.count == 8)
    }

    @Test func needsATimeAndAHost() {
        for key in ["observedAt", "host", "snapshot"] {
            let message = Fixture.snapshotMessage.with(key, nil).encoded()
            #expect(throws: NodeMessageError.invalid(field: "message.\(key)")) { try NodeMessage(decoding: message) }
        }
    }
}
