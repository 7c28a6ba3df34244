import EventLoop
import Glibc

/// Runs commands for tools: in a folder, confined if possible, with a bounded output and a bounded time, and nothing of them left behind.
struct CommandRunner: Sendable {
    /// How it ended, for the model.
    struct Report: Hashable, Sendable {
        var text: String
        var succeeded: Bool
    }

    /// A command that could not be run; for the model.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    static let outputLimit = 64 << 10

    let commands: CommandLoop
    let variables: [String: String]
    let hidden: HiddenPlaces

    /// - Parameters:
    ///   - folder: Without links, as it was shown to whoever approved it: one that leads elsewhere now is refused.
    ///   - sandbox: What was shown to whoever approved it: a command that was to be confined is never run without.
    func run(_ call: CommandCall, in folder: String, sandbox: SandboxProbe.Finding) async throws -> Report {
        guard let real = RealPath.of(folder) else { throw Failure(description: "The working folder is gone.") }
        guard real == folder else { throw Failure(description: "The working folder leads elsewhere now.") }
        let words: [String]
        switch sandbox {
        case .bubblewrap(let program):
            words = Sandbox(program: program, folder: folder, hidden: hidden.existing).words(of: call.words, network: call.needsNetwork)
        case .missing: words = ["/bin/sh", "-c", Self.keeper, "sh"] + call.words
        }
        let result: ChildResult
        do throws(ChildProcessError) {
            let loop: EventLoop
            do throws(SystemError) { loop = try commands.loop() } catch { throw .system(error, "the command") }
            result = try await ChildProcess.run(
                words[0], Array(words.dropFirst()), environment: environment(in: folder), directory: folder, timeout: .seconds(call.seconds),
                outputLimit: Self.outputLimit, on: loop)
        } catch {
            if case .cancelled = error { throw CancellationError() }
            throw Failure(description: error.description)
        }
        return report(result, seconds: call.seconds)
    }

    /// Without a sandbox nothing but the process group holds a command together; whatever it left running is told to end. The program is a file
    /// and never a word that the shell itself obeys.
    private static let keeper = "/usr/bin/env -- \"$@\"; s=$?; trap '' TERM; kill -TERM 0 2>/dev/null; exit $s"

    /// Only what programs need to find their way: anything else may be a secret.
    func environment(in folder: String) -> [String] {
        let kept: Set<String> = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ"]
        var result = variables.filter { kept.contains($0.key) || $0.key.hasPrefix("LC_") }
        if result["PATH"] == nil { result["PATH"] = "/usr/local/bin:/usr/bin:/bin" }
        for (name, value) in [
            ("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0"), ("NO_COLOR", "1"), ("PWD", folder),
        ] { result[name] = value }
        return result.map { "\($0.key)=\($0.value)" }.sorted()
    }

    private func report(_ result: ChildResult, seconds: Int) -> Report {
        let ending = switch result.status {
        case .exited(let code): "exit code \(code)"
        case .signalled(let number): "ended by signal \(number)"
        case .timedOut: "killed after \(seconds) s"
        }
        var parts = [ending + (result.wasCut ? "; each output is cut after \(Self.outputLimit) bytes" : "")]
        for (name, bytes) in [("stdout", result.output), ("stderr", result.errorOutput)] where !bytes.isEmpty {
            parts.append("\(name):\n" + String(decoding: bytes, as: UTF8.self))
        }
        return Report(text: parts.joined(separator: "\n"), succeeded: result.succeeded)
    }
}
