import EventLoop
import Glibc
import JSON
import RelayProtocol

@testable import CodexAppServer

/// JSON written the way it stands on the wire.
func json(_ text: String) -> JSONValue {
    do { return try JSONParser(maximumDepth: 512).parse(Array(text.utf8)) } catch { preconditionFailure("a test holds damaged JSON: \(error)") }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

let thread = TaskIdentity("01a22b92-b616-7573-b811-110cc6dce3bd")!
let otherThread = TaskIdentity("01a22b92-b7aa-72e2-b5f8-7b4e3a67cb05")!
let someClient = ClientInfo(name: "decknode", title: "Codex Deck", version: "0.2")

/// Runs `body` with a loop that is shut down afterwards.
func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result {
    let loop = try EventLoop(name: "test")
    defer { loop.shutdown() }
    return try await body(loop)
}

/// Runs `body` on the loop and returns what it returns.
@discardableResult
func onLoop<Result: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { done in loop.execute { done.resume(returning: body()) } }
}

/// Waits on a loop until something holds; whoever changes what it may depend on calls `check`.
///
/// `@unchecked Sendable`: used on its loop only.
final class Watcher: @unchecked Sendable {
    private let loop: EventLoop
    private var waiters: [(isReady: () -> Bool, resume: () -> Void)] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func wait(until isReady: @escaping @Sendable () -> Bool) async {
        await withCheckedContinuation { done in
            loop.execute {
                self.waiters.append((isReady, { done.resume() }))
                self.check()
            }
        }
    }

    func check() {
        let ready = waiters.filter { $0.isReady() }
        waiters.removeAll { $0.isReady() }
        for waiter in ready { waiter.resume() }
    }
}

/// A folder of its own, removed with its owner; mode 0700.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/deck-appserver-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        // What a test leaves is a handful of sockets and links, at most one folder deep.
        for folder in ["/control", "/" + String(repeating: "long-", count: 30), ""] {
            for name in ["/a", "/b", "/s"] { unlink(path + folder + name) }
            rmdir(path + folder)
        }
    }
}
