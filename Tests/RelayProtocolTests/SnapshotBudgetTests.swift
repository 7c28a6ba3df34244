import JSON
import RelayProtocol
import Testing

struct SnapshotBudgetTests {
    private static let host = Host(id: HostID(Fixture.uuid)!, name: "box", platform: .mac, os: "linux", codexVersion: "1.0.0")
    private static let now = UnixMilliseconds(Int64(Fixture.observedAt))!

    private static func session(_ number: Int, age: Int64) -> HostSession {
        let tail = String(1_000_000_000_000 + number).dropFirst()
        return HostSession(
            threadID: TaskIdentity("00000000-0000-4000-8000-\(tail)")!, activityAt: now.advanced(byMilliseconds: -age), status: .working,
            completionRevision: .max >> 11, contextUsedPercent: 100, workStartedAt: now, workStartRevision: .max >> 11)
    }

    private static func decoded(_ bytes: [UInt8]) throws -> Snapshot {
        guard case .snapshot(host, now, let snapshot) = try NodeMessage(decoding: bytes) else { throw NodeMessageError.unknownType }
        return snapshot
    }

    private static func encoded(_ snapshot: Snapshot, _ budget: SnapshotBudget = SnapshotBudget()) -> [UInt8] {
        budget.encoded(host: host, observedAt: now, snapshot)
    }

    @Test func whatFitsIsLeftAlone() throws {
        var snapshot = Snapshot.empty
        snapshot.hostSessions = (0..<128).map { Self.session($0, age: Int64($0)) }
        snapshot.activeThreadTitle = String(repeating: "é", count: 120)
        #expect(try Self.decoded(Self.encoded(snapshot)) == snapshot)
    }

    @Test func theWorstTitlesAndAllSessionsFit() throws {
        // Four bytes a UTF-16 unit pair, and control characters that take six bytes each once escaped.
        let pile = "e" + String(repeating: "\u{301}", count: 5_000)
        for title in [String(repeating: "👩🏽‍🚀", count: 500), String(repeating: "\u{1}", count: 5_000), pile] {
            var snapshot = Snapshot.empty
            for id in 0..<6 { snapshot.slots[id] = Slot(id: id, threadKey: String(repeating: "\u{1}", count: 256), title: title, status: .working) }
            snapshot.activeThreadTitle = title
            snapshot.hostSessions = (0..<200).map { Self.session($0, age: Int64($0)) }
            let bytes = Self.encoded(snapshot)
            #expect(bytes.count <= 65_536)
            #expect(try LegacyPeer.complaint(JSONParser().parse(bytes)) == nil)
            #expect(try Self.decoded(bytes).hostSessions?.count == 128)
        }
    }

    @Test func ofTooManySessionsTheOldestGo() throws {
        var snapshot = Snapshot.empty
        snapshot.hostSessions = (0..<200).map { Self.session($0, age: Int64(($0 * 37) % 200)) }
        let kept = try #require(try Self.decoded(Self.encoded(snapshot)).hostSessions)
        #expect(kept == snapshot.hostSessions?.filter { Self.now.milliseconds(since: $0.activityAt) < 128 })
    }

    @Test(arguments: [6_000, 8_000, 12_345, 20_000])
    func theOldestSessionsAreShedBeforeTitlesAreCut(limit: Int) throws {
        var snapshot = Snapshot.empty
        for id in 0..<6 { snapshot.slots[id].title = String(repeating: "t", count: 120) }
        snapshot.hostSessions = (0..<128).map { Self.session($0, age: Int64(($0 * 37) % 128)) }
        let bytes = Self.encoded(snapshot, SnapshotBudget(maximumBytes: limit))
        let result = try Self.decoded(bytes)
        let kept = try #require(result.hostSessions)
        #expect(bytes.count <= limit && bytes.count > limit - 260, "no more is shed than it takes: \(bytes.count)")
        #expect(kept == snapshot.hostSessions?.filter { Self.now.milliseconds(since: $0.activityAt) < kept.count })
        #expect(result.slots == snapshot.slots)
    }

    @Test func titlesShrinkOnceNoSessionIsLeft() throws {
        var snapshot = Snapshot.empty
        for id in 0..<6 { snapshot.slots[id].title = String(repeating: "t", count: 120) }
        snapshot.activeThreadTitle = String(repeating: "a", count: 120)
        snapshot.hostSessions = [Self.session(1, age: 0)]
        let bare = Self.encoded(.empty).count
        let bytes = Self.encoded(snapshot, SnapshotBudget(maximumBytes: bare + 500))
        let result = try Self.decoded(bytes)
        #expect(bytes.count <= bare + 500 && result.hostSessions == [])
        #expect(result.slots.allSatisfy { $0.title == String(repeating: "t", count: 60) })
        #expect(result.activeThreadTitle == String(repeating: "a", count: 60))
        let smallest = try Self.decoded(Self.encoded(snapshot, SnapshotBudget(maximumBytes: 1)))
        #expect(smallest.slots.allSatisfy { $0.title == nil } && smallest.activeThreadTitle == nil && smallest.hostSessions == [])
    }

    @Test(arguments: [
        (String(repeating: "a", count: 121), 120, 120), (String(repeating: "😀", count: 121), 120, 240),
        (String(repeating: "🇩🇪", count: 100), 60, 240),
        (String(repeating: "👩‍👩‍👧‍👦", count: 100), 21, 231), ("short", 5, 5),
    ])
    func titlesAreCutBetweenCharacters(title: String, characters: Int, units: Int) throws {
        var snapshot = Snapshot.empty
        snapshot.slots[2].title = title
        snapshot.activeThreadTitle = title
        let result = try Self.decoded(Self.encoded(snapshot))
        for text in [try #require(result.slots[2].title), try #require(result.activeThreadTitle)] {
            #expect(text.count == characters && text.utf16.count == units && title.hasPrefix(text))
        }
    }

    @Test func whatPeersWouldRefuseIsPutRight() throws {
        var snapshot = Snapshot.empty
        snapshot.slots = [
            Slot(
                id: 9, threadKey: String(repeating: "k", count: 257), contextUsedPercent: 101,
                workStartedAt: Self.now.advanced(byMilliseconds: 1), workStartRevision: 1),
            Slot(id: 0, contextUsedPercent: -1, workStartedAt: Self.now),
        ]
        let identity = try #require(TaskIdentity(Fixture.uuid))
        snapshot.hostSessions = [
            HostSession(threadID: identity, activityAt: Self.now, status: .idle, completionRevision: -1, workStartRevision: 4)
        ]
        let window = Usage.Window(id: "a", kind: .other, usedPercent: 120, remainingPercent: -20, durationMinutes: 0, resetsAt: nil)
        let unusable = Usage.Window(id: "", kind: .other, usedPercent: 1, remainingPercent: 1, durationMinutes: nil, resetsAt: nil)
        let unknown = Usage.Window(id: "b", kind: .other, usedPercent: .nan, remainingPercent: 1, durationMinutes: nil, resetsAt: nil)
        snapshot.usage = Usage(windows: [unusable, unknown] + Array(repeating: window, count: 10), observedAt: Self.now, resetCreditsAvailable: -1)
        let bytes = Self.encoded(snapshot)
        #expect(try LegacyPeer.complaint(JSONParser().parse(bytes)) == nil)
        let result = try Self.decoded(bytes)
        #expect(result.slots.map(\.id) == [0, 1, 2, 3, 4, 5])
        #expect(result.slots[0] == Slot(id: 0, contextUsedPercent: 100) && result.slots[1] == Slot(id: 1, contextUsedPercent: 0))
        #expect(result.hostSessions?[0].completionRevision == nil && result.hostSessions?[0].workStartRevision == nil)
        #expect(result.usage?.windows.count == 8 && result.usage?.resetCreditsAvailable == nil)
        #expect(result.usage?.windows[0] == .init(id: "a", kind: .other, usedPercent: 100, remainingPercent: 0, durationMinutes: nil, resetsAt: nil))
    }

    @Test func theBoardIsWrittenAsPeersKnowIt() throws {
        let value = try JSONParser().parse(Self.encoded(.empty))
        #expect(value["snapshot"]?["slots"]?[5] == ["id": 5, "threadKey": nil, "title": nil, "status": "off", "selected": false])
        #expect(value["snapshot"]?.object?.keys.sorted() == ["agentSource", "layout", "lightingAutoOff", "slots", "theme"])
        #expect(value["snapshot"]?["layout"]?["slots"]?["ACT10_ACT11"] == ["keycapId": "NEW"])
        #expect(value["host"]?["platform"] == "darwin" && value["host"]?["os"] == "linux")
    }
}
