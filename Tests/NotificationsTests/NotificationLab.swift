import EventLoop
import Foundation
import Log
import Synchronization
import Testing

@testable import Notifications

/// A folder with a `notify-send` of the test's own, which writes down how it was called.
final class NotificationLab: Sendable {
    let folder: String
    let loop: EventLoop
    let sender: NotifySend
    let pressed = Mutex<[String]>([])
    let logged = LogLines()

    static let help = "--print-id --replace-id=ID --wait --action=NAME"

    /// - Parameters:
    ///   - script: What the program does after it wrote its arguments down; its folder is `$D`.
    ///   - limits: By default more patience than a busy computer needs to start a program; a test of impatience gives its own.
    ///   - environment: Further variables of the programs.
    init(
        script: String? = nil, help: String = NotificationLab.help, limits: NotifySend.Limits = .init(answer: .seconds(60)), environment: [String] = []
    ) throws {
        folder = FileManager.default.temporaryDirectory.path + "/deck-notify-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if let script {
            let text = """
                #!/bin/sh
                D='\(folder)'
                if [ "$1" = --help ]; then echo '\(help)'; exit; fi
                # In one piece: several calls write at a time.
                line=$(for a; do printf '%s\\037' "$a"; done)
                printf '%s\\n' "$line" >> "$D/calls"
                \(script)
                """
            try text.write(toFile: folder + "/notify-send", atomically: true, encoding: .utf8)
            chmod(folder + "/notify-send", 0o700)
        }
        loop = try EventLoop(name: "notify")
        sender = NotifySend(
            program: script == nil ? "notify-send" : folder + "/notify-send",
            environment: ["PATH=\(folder):/usr/bin:/bin", "LC_ALL=C"] + environment,
            limits: limits, loop: loop, logger: Logger(threshold: .info, sink: logged))
    }

    deinit {
        loop.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func listen() async { await sender.listen { [weak self] key in self?.pressed.withLock { $0.append(key) } } }

    /// The arguments of each call, in order.
    var calls: [[String]] {
        let text = (try? String(contentsOfFile: folder + "/calls", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { $0.split(separator: "\u{1f}", omittingEmptySubsequences: false).dropLast().map(String.init) }
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder + "/" + name) }
    func put(_ text: String, in name: String) throws { try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8) }

    /// Waits for something that other processes bring about.
    func wait(_ what: String, until condition: () -> Bool) async throws {
        for _ in 0..<2000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("waited in vain: \(what); calls: \(calls), log: \(logged.all)")
    }
}

extension NotifySend {
    func listen(_ body: @escaping @Sendable (String) -> Void) { onAction = body }
}

final class LogLines: LogSink {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func write(_ record: LogRecord) { lines.withLock { $0.append(record.message) } }
}
