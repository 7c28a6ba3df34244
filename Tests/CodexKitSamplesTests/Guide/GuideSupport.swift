import CodexKit
import Foundation
import JSON
import LocalServer
import Synchronization
import Testing

/// What a snippet printed.
final class Printed: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ text: String) { lines.withLock { $0.append(text) } }
    var text: String { lines.withLock { $0.joined() } }
}

extension SampleServer {
    /// One answer after the other, the last again and again.
    init(_ answers: [[JSONValue]]) async throws {
        let server = try await LocalServer(answers: answers.map { .events($0) })
        self.init(server)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// The results of tools in the request with this number.
    func outputs(_ index: Int) async throws -> [String] {
        try await body(index)["input"]?.array?.filter { $0["type"] == "function_call_output" }.compactMap { $0["output"]?.string } ?? []
    }

    /// The whole request as text.
    func text(_ index: Int) async throws -> String { String(decoding: try await body(index).encoded(), as: UTF8.self) }
}

extension [JSONValue] {
    static func calls(_ tool: String, _ arguments: String) -> Self {
        [ResponsesScript.created(), ResponsesScript.functionCall(tool, arguments: arguments, call: "call_\(tool)"), ResponsesScript.completed()]
    }
}
