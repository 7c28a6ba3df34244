import FoundationEssentials
import Glibc
import Testing

@testable import CodexKit

/// What is found after the program was killed in the middle of turns.
struct CrashTests {
    /// Set to a number for a longer run.
    private static let variable = "CODEXKIT_CRASHES"
    private static var count: Int { ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? 20 }

    @Test(arguments: ["file", "sqlite"])
    func everyRestartFindsAReadableState(kind: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        var generator = SystemRandomNumberGenerator()
        for round in 0..<Self.count {
            let microseconds = UInt32.random(in: 0..<60_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [kind = kind as String, path = path as String, microseconds = microseconds as UInt32] in
                try await Self.liveAndDie(kind, path, after: microseconds)
            }
            try await Self.check(kind, path, round: round)
        }
    }

    private static func store(_ kind: String, _ path: String) -> any RuntimeStateStoring {
        let url = URL(filePath: path + "/state")
        return kind == "file" ? FileRuntimeStateStore(url: url) : SQLiteRuntimeStateStore(url: url)
    }

    /// Turns with pictures, tools and deletions, for as long as it lasts.
    private static func liveAndDie(_ kind: String, _ path: String, after microseconds: UInt32) async throws {
        let backend = ScriptedBackend { request, _ in
            guard case .functionCallOutput = request.input.last else { return .call("draw") }
            return [.event(.image(AgentGeneratedImage(id: "i", data: Data(repeating: 7, count: 3_000), mimeType: "image/png")))] + .text("done")
        }
        let fixture = try await RuntimeFixture(backend, store: store(kind, path)) { $0.tools = [.test("draw")] }
        let threads = try await fixture.runtime.threads()
        let thread = if let last = threads.first { last } else { try await fixture.runtime.createThread(title: "T") }
        var killer = pthread_t()
        let delay = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        delay.pointee = microseconds
        pthread_create(&killer, nil, { argument in
            if let delay = argument?.assumingMemoryBound(to: UInt32.self) { usleep(delay.pointee) }
            kill(getpid(), SIGKILL)
            return nil
        }, delay)
        while true {
            _ = try await fixture.runtime.send(Request(text: "draw", images: [.png(Data(repeating: 5, count: 2_000))]), in: thread.id)
            let messages = try await fixture.runtime.messages(for: thread.id)
            if messages.count > 20, let first = messages.first { try await fixture.runtime.deleteHistory([first.id], in: thread.id) }
        }
    }

    private static func check(_ kind: String, _ path: String, round: Int) async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("after")), store: store(kind, path))
        let restoration = try await fixture.runtime.restore()
        #expect(restoration.notices.isEmpty, "round \(round)")
        var named: Set<String> = []
        for thread in restoration.threads {
            #expect(!thread.status.isBusy)
            let turns = try await fixture.runtime.turns(of: thread.id)
            #expect(turns.allSatisfy { $0.status != .running })
            #expect(turns.dropLast().allSatisfy { $0.status == .completed || $0.status == .interrupted })
            #expect((turns.last?.status == .interrupted) == (thread.status == .interrupted))
            let records = try await fixture.runtime.history(of: thread.id)
            #expect(records.map(\.sequence) == records.map(\.sequence).sorted())
            for record in records {
                named.formUnion(AttachmentFolder.names(of: [record]))
                #expect(record.item.message?.images.allSatisfy { !$0.data.isEmpty } ?? true, "a picture is missing in round \(round)")
            }
        }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path + "/state.attachments")) ?? []
        #expect(Set(files) == named, "round \(round)")
        guard let thread = restoration.threads.first else { return }
        #expect(try await fixture.runtime.send(Request(text: "still there?"), in: thread.id) == "after")
    }
}
