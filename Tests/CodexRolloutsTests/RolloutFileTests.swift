import Glibc
import RelayProtocol
import Testing

@testable import CodexRollouts

struct RolloutFileTests {
    private let home = Home()

    private func read(_ path: String, limits: RolloutFile.Limits = .init(), compressed: Bool = false) throws -> RolloutFile {
        try RolloutFile(try OpenFile(path), isCompressed: compressed, limits: limits)
    }

    /// Turns enough to exceed what is read as a whole.
    private func longSession(_ bytes: Int, lineBytes: Int = 4000) -> [String] {
        var lines: [String] = []
        var size = 0
        var second = 0
        while size < bytes {
            second += 1
            let turn =
                Lines.turn(from: second, "turn \(second)") + [
                    Lines.item("reasoning", #""x":"\#(String(repeating: "r", count: lineBytes))""#, at: second)
                ]
            lines += turn
            size += turn.reduce(0) { $0 + $1.utf8.count + 1 }
        }
        return lines
    }

    @Test("The end of a file says what all of it says", arguments: [0, 1, 2, 3, 4, 5])
    func readsFromTheEnd(extra: Int) throws {
        let lines = longSession(600_000) + Lines.turn(from: 5000, "last").prefix(extra)
        home.write(1, lines)
        let file = try read(home.file(1))
        let all = Lines.state([Lines.meta(Lines.identity(1))] + lines)
        #expect(file.state.lifecycle == all.lifecycle)
        #expect(file.state.workStart == all.workStart)
        #expect(file.state.contextUsedPercent == all.contextUsedPercent)
        #expect(file.state.activityAt == all.activityAt)
        #expect(file.state.preview == "turn 1")
        #expect(file.meta?.id == Lines.identity(1))
        #expect(!file.lacksTurnStart)
    }

    @Test("Appending in any pieces gives the state of one read", arguments: 0..<12)
    func followsAnyChunking(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let lines = longSession(seed % 3 == 0 ? 300_000 : 20_000, lineBytes: 700) + Array(Lines.turn(from: 9000).prefix(3))
        let bytes = Array(([Lines.meta(Lines.identity(1))] + lines).map { $0 + "\n" }.joined().utf8)
        let path = home.base + "/grow.jsonl"
        var place = seed % 2 == 0 ? 0 : bytes.count / 2
        home.put(path, Array(bytes[..<place]))
        var file = try read(path)
        while place < bytes.count {
            let end = min(bytes.count, place + Int.random(in: 1...(bytes.count / 20 + 1), using: &random))
            home.put(path, Array(bytes[place..<end]), flags: O_APPEND)
            place = end
            let followed = try file.update(try OpenFile(path))
            #expect(followed)
            #expect(file.offset == place)
        }
        let whole = Lines.state([Lines.meta(Lines.identity(1))] + lines)
        #expect(file.state.lifecycle == whole.lifecycle)
        #expect(file.state.workStart == whole.workStart)
        #expect(file.state.contextUsedPercent == whole.contextUsedPercent)
        #expect(file.state.activityAt == whole.activityAt)
        #expect(file.state.preview == whole.preview)
        #expect(file.damagedLines == 0)
    }

    @Test func skipsARecordOfManyMegabytes() throws {
        let picture = Lines.item("message", #""role":"user","content":[{"image_url":"\#(String(repeating: "A", count: 3_000_000))"}]"#)
        home.write(1, [Lines.started(at: 1), picture, Lines.reasoning(at: 2)])
        var file = try read(home.file(1), limits: .init(tail: 8 << 20))
        #expect(file.skippedLines == 1)
        #expect(file.state.lifecycle == .working)
        #expect(file.state.workStart?.at == Lines.time(1))
        home.append(1, [picture, Lines.complete(at: 3)])
        let followed = try file.update(try OpenFile(home.file(1)))
        #expect(followed)
        #expect(file.skippedLines == 2)
        guard case .complete = file.state.lifecycle else { throw TestFailure() }
    }

    @Test func staysBoundedWhenTheEndIsOneUnfinishedLine() throws {
        home.write(1, Lines.turn(from: 1))
        home.put(home.file(1), String(repeating: "A", count: 3_000_000), flags: O_APPEND)
        var file = try read(home.file(1))
        #expect(file.state.lifecycle == .idle)
        home.put(home.file(1), "\n" + Lines.started(at: 9) + "\n", flags: O_APPEND)
        let followed = try file.update(try OpenFile(home.file(1)))
        #expect(followed)
        #expect(file.state.lifecycle == .working)
    }

    @Test func looksFurtherUpForTheStartOfALongTurn() throws {
        let long = (0..<700).map { Lines.item("reasoning", #""x":"\#(String(repeating: "r", count: 4000))""#, at: 20 + $0) }
        home.write(1, Lines.turn(from: 1) + [Lines.started(at: 10)] + long)
        var file = try read(home.file(1))
        #expect(file.state.lifecycle == .working)
        #expect(file.state.workStart == nil)
        #expect(file.lacksTurnStart)
        try file.findTurnStart(try OpenFile(home.file(1)))
        let revision = Lines.offset(of: 6, in: [Lines.meta(Lines.identity(1))] + Lines.turn(from: 1) + [""])
        #expect(file.state.workStart == SessionState.WorkStart(at: Lines.time(10), revision: revision))
        #expect(!file.lacksTurnStart)
    }

    @Test func noticesAnotherFileInItsPlace() throws {
        home.write(1, Lines.turn(from: 1))
        var file = try read(home.file(1))
        home.put(home.file(1), "short\n")
        let shorter = try file.update(try OpenFile(home.file(1)))
        #expect(!shorter)

        home.write(1, Lines.turn(from: 1))
        file = try read(home.file(1))
        home.put(home.file(1) + ".new", String(repeating: "x", count: 5000))
        rename(home.file(1) + ".new", home.file(1))
        let replaced = try file.update(try OpenFile(home.file(1)))
        #expect(!replaced)

        home.write(1, Lines.turn(from: 1))
        file = try read(home.file(1))
        home.put(home.file(1), String(repeating: "x", count: 5000))
        let rewritten = try file.update(try OpenFile(home.file(1)))
        #expect(!rewritten)
    }

    @Test func aLineCutByACrashCountsOnce() throws {
        home.write(1, [Lines.started(at: 1), Lines.reasoning(at: 2)])
        let end = Lines.complete(at: 3)
        home.put(home.file(1), String(end.prefix(60)), flags: O_APPEND)
        var file = try read(home.file(1))
        #expect(file.state.lifecycle == .working)
        let cutAt = file.offset
        home.put(home.file(1), end + "\n", flags: O_APPEND)
        _ = try file.update(try OpenFile(home.file(1)))
        #expect(file.state.lifecycle == .complete(revision: cutAt))
        home.put(home.file(1), Lines.started(at: 4).prefix(60) + "\n" + Lines.started(at: 5) + "\n", flags: O_APPEND)
        _ = try file.update(try OpenFile(home.file(1)))
        #expect(file.state.workStart?.at == Lines.time(5))
        #expect(file.damagedLines == 1)
    }

    @Test func onlyTheFirstLineNamesTheSession() throws {
        home.write(2, [Lines.meta(Lines.identity(1), #""source":{"subagent":"review"}"#)] + Lines.turn(from: 1))
        let file = try read(home.file(2))
        #expect(file.meta?.id == Lines.identity(2))
        #expect(file.meta?.isHelper == false)
    }

    @Test("A fork has the end of no turn that was copied into it", arguments: [true, false])
    func forks(isFork: Bool) throws {
        let parent = "01a22a8f-0000-7000-8000-000000000001"
        let copied = Lines.event("task_complete", #""turn_id":"\#(parent)","last_agent_message":"ok""#, at: 3)
        home.write(2, Lines.turn(from: 1).dropLast() + [copied], meta: isFork ? #""forked_from_id":"\#(parent)""# : #""forked_from_id":null"#)
        let file = try read(home.file(2))
        #expect(file.meta?.isFork == isFork)
        #expect((file.state.lifecycle == .idle) == isFork)
    }

    @Test func readsAVeryLongFirstLine() throws {
        let instructions = #""source":"exec","base_instructions":"\#(String(repeating: "b", count: 2_000_000))""#
        home.write(1, Lines.turn(from: 1), meta: instructions)
        let file = try read(home.file(1))
        #expect(file.meta?.id == Lines.identity(1))
        #expect(file.meta?.source == .exec)
        guard case .complete = file.state.lifecycle else { throw TestFailure() }
    }

    @Test func unpacksCompressedFiles() throws {
        home.write(1, longSession(400_000))
        home.compress(1)
        let plain = try read(home.file(1))
        let packed = try read(home.file(1) + ".zst", compressed: true)
        #expect(packed.state.lifecycle == plain.state.lifecycle)
        #expect(packed.state.workStart == plain.state.workStart)
        #expect(packed.state.preview == plain.state.preview)
        #expect(packed.meta == plain.meta)
    }

    @Test func refusesDamagedAndSwollenCompressedFiles() throws {
        home.write(1, longSession(400_000))
        home.compress(1)
        #expect(throws: ZstdReader.Failure.tooLarge) { try read(home.file(1) + ".zst", limits: .init(unpacked: 100_000), compressed: true) }
        #expect(throws: ZstdReader.Failure.damaged) { try read(home.file(1), compressed: true) }
        let bytes = home.bytes(home.file(1) + ".zst")
        home.put(home.base + "/twice.zst", bytes + bytes)
        #expect(try read(home.base + "/twice.zst", compressed: true).meta?.id == Lines.identity(1))
    }

    @Test func refusesWhatIsNoFile() {
        mkfifo(home.base + "/pipe", 0o600)
        #expect(throws: FileFailure.self) { try read(home.base + "/pipe") }
        #expect(throws: FileFailure.self) { try read(home.path) }
        #expect(throws: FileFailure(code: ENOENT)) { try read(home.base + "/none") }
    }
}
