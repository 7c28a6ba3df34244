import Foundation
import Testing

/// A session bus of the test's own, with a real gnome-keyring on it when wanted. What is missing on the computer is an error, not a
/// reason to skip.
final class KeyringSession {
    enum Keyring { case none, notSetUp, unlocked }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    let folder: String
    let address: String
    private let bus: Process
    private var keyring: Process?

    init(_ kind: Keyring) throws {
        folder = FileManager.default.temporaryDirectory.path + "/deck-secrets-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Without service folders nothing but what the test starts can answer.
        let configuration = """
            <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """
        try configuration.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        let output = Pipe()
        bus = try Self.start(["dbus-daemon", "--config-file=\(folder)/bus.conf", "--nofork", "--print-address"], output: output)
        let line = output.fileHandleForReading.availableData
        guard !line.isEmpty else {
            throw Missing(description: "dbus-daemon did not start; install dbus")
        }
        address = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if kind != .none { try startKeyring(unlocked: kind == .unlocked) }
    }

    deinit {
        for process in [keyring, bus].compactMap({ $0 }) where process.isRunning {
            kill(process.processIdentifier, SIGCONT)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func startKeyring(unlocked: Bool) throws {
        let input = Pipe()
        let arguments = ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : [])
        keyring = try Self.start(arguments, input: input, output: Pipe(), environment: environment)
        // The password, here an empty one, comes on standard input.
        input.fileHandleForWriting.write(Data("\n".utf8))
        try input.fileHandleForWriting.close()
        guard try run(["gdbus", "wait", "--session", "--timeout", "20", "org.freedesktop.secrets"]) == 0 else {
            throw Missing(description: "gnome-keyring-daemon did not come up; install gnome-keyring and libglib2.0-bin")
        }
    }

    private var environment: [String: String] {
        [
            "DBUS_SESSION_BUS_ADDRESS": address, "HOME": folder, "XDG_DATA_HOME": folder, "XDG_RUNTIME_DIR": folder, "PATH": "/usr/bin:/bin",
            "LC_ALL": "C",
        ]
    }

    /// Locks the keyring that an empty password opened.
    func lock() throws {
        let call = [
            "gdbus", "call", "--session", "--timeout", "10", "--dest", "org.freedesktop.secrets", "--object-path", "/org/freedesktop/secrets",
        ]
        let status = try run(call + ["--method", "org.freedesktop.Secret.Service.Lock", "['/org/freedesktop/secrets/collection/login']"])
        try #require(status == 0)
    }

    /// Lets the keyring hang: it is there and does not answer.
    func freeze() throws { try #require(kill(keyring?.processIdentifier ?? 0, SIGSTOP) == 0 && keyring != nil) }

    private func run(_ arguments: [String]) throws -> Int32 {
        let process = try Self.start(arguments, output: Pipe(), environment: environment)
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static func start(
        _ arguments: [String], input: Pipe? = nil, output: Pipe, environment: [String: String]? = nil
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
