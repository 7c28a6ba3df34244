import CodexKit
import FoundationEssentials
import Synchronization
import Testing

struct LoggingTests {
    private final class Lines: Sendable {
        private let records = Mutex<[AgentLogRecord]>([])
        func add(_ record: AgentLogRecord) { records.withLock { $0.append(record) } }
        var all: [AgentLogRecord] { records.withLock { $0 } }
    }

    @Test func writesWhatIsWantedOnly() {
        let lines = Lines()
        let logging = AgentLogging(minimumLevel: .notice, categories: [.tools]) { lines.add($0) }
        var made = 0
        func text() -> String {
            made += 1
            return "line"
        }
        logging.log(.info, .tools, text())
        logging.log(.error, .memory, text())
        logging.log(.notice, .tools, text())
        AgentLogging.disabled.log(.error, .tools, text())
        #expect(lines.all == [AgentLogRecord(level: .notice, category: "tools", message: "line")])
        #expect(made == 1)
    }

    @Test func masksWhatLooksLikeASecret() {
        let lines = Lines()
        AgentLogging { lines.add($0) }.log(.error, .network, "Authorization: Bearer abcdef and access_token=xyz123")
        #expect(lines.all.first.map { $0.message.contains("abcdef") || $0.message.contains("xyz123") } == false)
    }

    @Test func aTurnTellsNothingOfWhatWasSaid() async throws {
        let lines = Lines()
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("look", #"{"hush":"hush"}"#), .text("hush"))) {
            $0.tools = [.init(definition: .test("look"), executor: AnyToolExecutor { _, _ in throw ToolFailure("hush") })]
            $0.logging = AgentLogging(minimumLevel: .debug) { lines.add($0) }
        }
        let thread = try await fixture.runtime.createThread(title: "hush")
        _ = try await fixture.runtime.send(Request(text: "hush"), in: thread.id)
        #expect(Set(lines.all.map(\.category)).isSuperset(of: ["runtime", "tools"]))
        #expect(!lines.all.contains { $0.message.contains("hush") })
    }
}
