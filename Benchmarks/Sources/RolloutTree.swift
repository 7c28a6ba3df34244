import CBenchmarkFloor
import Glibc

/// A Codex home with years of sessions, made in a second.
///
/// Real are the folders, names, dates, beginnings and ends of the files. In between is a hole as long as the rest of the session would be: a
/// reader that skips the middle cannot tell, and one that does not pays for every byte of it. The newest sessions, which are read,
/// have ends of 192 KiB; the others of some hundred bytes.
struct RolloutTree {
    let path: String
    var fileCount: Int
    /// Bytes of an average file: 4 GiB in 10,000.
    static let averageSize = 4 << 30 / 10_000
    private static let perDay = 25
    private static let longTails = 300
    private static let day: Int64 = 86_400

    /// - Returns: The Codex home. One that is there already is used as it is.
    func make() throws -> String {
        let home = path + "/codex-home"
        guard access(home + "/newest", F_OK) != 0 else { return home }
        let now = wallClock() / 1_000
        // The newest session last: with its path the tree is complete.
        for number in (0..<fileCount).reversed() { try makeFile(number, home: home, now: now) }
        return home
    }

    /// The session that changed last.
    static func newest(in home: String) throws -> String {
        guard let text = try? TextFile.read(home + "/newest") else { throw BenchmarkError("The tree of rollouts is not complete.") }
        return text
    }

    private func makeFile(_ number: Int, home: String, now: Int64) throws {
        let time = now - Int64(number / Self.perDay) * Self.day - Int64(number % Self.perDay) * 600 - 60
        let stamp = Self.stamp(time)
        let date = stamp.prefix(10).split(separator: "-")
        let folder = home + "/sessions/" + date.joined(separator: "/")
        if number % Self.perDay == 0 || access(folder, F_OK) != 0 { try Self.makeFolders(folder) }
        let uuid = SampleSnapshot.uuid(number)
        let name = stamp.prefix(19).map { $0 == ":" ? "-" : $0 }
        let path = folder + "/rollout-" + String(name) + "-" + uuid + ".jsonl"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchmarkError("\(path) could not be made.") }
        defer { close(file) }
        let lines = RolloutLines(uuid: uuid, time: time, stamp: stamp)
        let head = lines.head
        let tail = lines.tail(bytes: number < Self.longTails ? 192 << 10 : 0)
        // From a tenth of the average to nearly twice as much.
        let size = max(Self.averageSize / 10 * (1 + number * 7 % 19), head.count + tail.count + 4_096)
        guard pwrite(file, head, head.count, 0) == head.count, pwrite(file, tail, tail.count, off_t(size - tail.count)) == tail.count else {
            throw BenchmarkError("\(path) could not be written.")
        }
        _ = floor_set_modified(file, time)
        if number == 0 { try TextFile.write(path, to: home + "/newest") }
    }

    private static func makeFolders(_ path: String) throws {
        var end = path.index(after: path.startIndex)
        while let slash = path[end...].firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = path.index(after: slash)
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw BenchmarkError("\(path) could not be made.") }
    }

    /// `2026-11-30T03:47:26`.
    static func stamp(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The records of one session, as the Codex CLI writes them.
private struct RolloutLines {
    let uuid: String
    let time: Int64
    let stamp: String

    /// Who it is and how it began.
    var head: [UInt8] {
        var text = line(
            "session_meta",
            #"{"id":"\#(uuid)","timestamp":"\#(stamp).000Z","cwd":"/home/user/project","originator":"codex_cli_rs","#
                + #""cli_version":"0.163.0","source":"cli","model_provider":"openai"}"#)
        text += line(
            "response_item", #"{"type":"message","role":"developer","content":[{"type":"input_text","text":"\#(filler(1_500))"}]}"#)
        let request = "Please look at the tests of \(uuid)"
        text += line("response_item", #"{"type":"message","role":"user","content":[{"type":"input_text","text":"\#(request)"}]}"#)
        return Array(text.utf8)
    }

    /// The last turn: begun `bytes` before the end, and done.
    func tail(bytes: Int) -> [UInt8] {
        // The hole is one long line; it ends here.
        var text = "\n" + line("event_msg", #"{"type":"task_started","turn_id":"last","model_context_window":258400}"#)
        while text.utf8.count < bytes {
            text += line("response_item", #"{"type":"reasoning","summary":[],"content":null,"encrypted_content":"\#(filler(1_800))"}"#)
            text += line("response_item", #"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"swift test\"}","call_id":"c"}"#)
            text += line("response_item", #"{"type":"function_call_output","call_id":"c","output":"\#(filler(6_000))"}"#)
        }
        let usage = #""last_token_usage":{"input_tokens":90000,"output_tokens":400,"total_tokens":90400},"model_context_window":258400"#
        let limits = #""primary":{"used_percent":12.0,"window_minutes":300,"resets_at":\#(time + 9_000)},"secondary":null"#
        text += line("event_msg", #"{"type":"token_count","info":{\#(usage)},"rate_limits":{\#(limits)}}"#)
        text += line("event_msg", #"{"type":"task_complete","turn_id":"last","last_agent_message":"Done."}"#)
        return Array(text.utf8)
    }

    private func line(_ type: String, _ payload: String) -> String {
        #"{"timestamp":"\#(stamp).000Z","type":"\#(type)","payload":\#(payload)}"# + "\n"
    }

    private func filler(_ count: Int) -> String { String(repeating: "abcdefghijklmnopqrstuvwxyz012345", count: count / 32) }
}

private enum TextFile {
    static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let bytes = Array(text.utf8)
        guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count else { throw BenchmarkError("\(path) could not be written.") }
        close(file)
    }

    static func read(_ path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { throw BenchmarkError("\(path) could not be read.") }
        close(file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
