import EventLoop
import Files

/// What a review needs to know of the repository a task works in. It only reads.
struct GitRepository: Sendable {
    private static let timeout = Duration.seconds(5)

    var folder: String
    /// Of the node; what in it would lead git elsewhere is left out.
    var variables: [String: String] = ProcessEnvironment.current()
    var loop: EventLoop

    /// Whether the folder belongs to a repository.
    func exists() async -> Bool { await run(["rev-parse", "--is-inside-work-tree"]) == "true" }

    /// The branch others are made from: what the remote calls its head, else `main` or `master` if there is one.
    func baseBranch() async -> String? {
        if let head = await run(["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]), head.hasPrefix("origin/") { return head }
        for name in ["main", "master"] where await run(["rev-parse", "--verify", "--quiet", "refs/heads/\(name)"]) != nil { return name }
        return nil
    }

    /// Whether the repository knows the branch.
    func has(_ branch: String) async -> Bool {
        // A caret in front would negate the name instead of being part of it.
        guard !branch.hasPrefix("^") else { return false }
        return await run(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(branch)^{commit}"]) != nil
    }

    /// The newest commit that `branch` and the current one share, 40 or 64 hex digits.
    func mergeBase(with branch: String) async -> String? { await run(["merge-base", "--end-of-options", branch, "HEAD"]) }

    /// The first line of what git prints; `nil` when it fails or prints nothing.
    private func run(_ arguments: [String]) async -> String? {
        do {
            // A repository may name programs in its configuration; none of these commands runs them, and no pager or prompt either.
            let words = ["-C", folder, "--no-optional-locks", "--no-pager"] + arguments
            let environment = variables.filter { !$0.key.hasPrefix("GIT_") }.map { "\($0.key)=\($0.value)" }
            let result = try await ChildProcess.run("git", words, environment: environment, timeout: Self.timeout, outputLimit: 4_096, on: loop)
            guard result.succeeded else { return nil }
            let line = String(decoding: result.output, as: UTF8.self).split(separator: "\n").first.map(String.init)
            return line?.isEmpty == false ? line : nil
        } catch {
            return nil
        }
    }
}
