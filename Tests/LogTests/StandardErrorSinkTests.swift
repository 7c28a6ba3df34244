import Glibc
import Testing

@testable import Log

struct StandardErrorSinkTests {
    private let pipes: (read: CInt, write: CInt)

    init() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        pipes = (ends[0], ends[1])
    }

    private func stream(of descriptor: CInt) -> String {
        var status = stat()
        fstat(descriptor, &status)
        return "\(status.st_dev):\(status.st_ino)"
    }

    private func written() -> String {
        close(pipes.write)
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(pipes.read, &bytes, bytes.count)
        close(pipes.read)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func writesPrioritiesWhenJournaldReadsThisVeryDescriptor() {
        let sink = StandardErrorSink(program: "decknode", environment: ["JOURNAL_STREAM": stream(of: pipes.write)], descriptor: pipes.write)
        sink.write(LogRecord(level: .error, category: "", message: "x"))
        #expect(written() == "<3>x\n")
    }

    @Test func writesForPeopleWhenStandardErrorWasRedirected() {
        let sink = StandardErrorSink(program: "decknode", environment: ["JOURNAL_STREAM": "1:2"], descriptor: pipes.write)
        sink.write(LogRecord(level: .error, category: "", message: "x"))
        #expect(written() == "decknode: error: x\n")
    }

    @Test(arguments: ["", ":", "1", "1:", ":2", "1:2:3", "x:y", "-1:2", "99999999999999999999:2", "2:1"])
    func oddStreamsAreNotJournald(value: String) {
        #expect(!JournalStream.matches(value, device: 1, inode: 2))
        #expect(JournalStream.matches("1:2", device: 1, inode: 2))
    }

    @Test func aClosedDescriptorIsSurvived() {
        let line = written()
        #expect(line.isEmpty)
        StandardErrorSink(format: .journal, descriptor: -1).write(LogRecord(level: .error, category: "", message: "x"))
    }
}
