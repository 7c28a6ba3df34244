import CodexRollouts
import RelayProtocol

/// Turns what the rollouts say into tasks and usage of the deck.
public struct RolloutTasks: Sendable {
    /// Titles made of the first words of a session are at most this long.
    static let maximumPreviewCharacters = 80

    public var titles: NodeSettings.Titles

    public init(titles: NodeSettings.Titles) { self.titles = titles }

    public func task(_ session: RolloutSession) -> DeckTask {
        DeckTask(
            identity: session.identity, title: title(of: session), phase: Self.phase(session), activityAt: session.activityAt,
            workStart: session.state.workStart.map { .init(at: $0.at, revision: $0.revision) },
            contextUsedPercent: session.state.contextUsedPercent, origin: .rollout,
            observedOnlyReason: "watched from its session file", stalled: session.isStalled)
    }

    private static func phase(_ session: RolloutSession) -> DeckTask.Phase {
        // The file's own word: a stalled task is shown as idle, but `status` tells what it was doing.
        switch session.state.lifecycle {
        case .working: .working
        case .complete(let revision): .finished(revision: revision)
        case .failed(let revision): .failed(revision: revision)
        case .idle: .idle
        }
    }

    /// The user's own name for the session, else its first words, else the beginning of its id.
    func title(of session: RolloutSession) -> String { title(identity: session.identity, name: session.name, preview: session.state.preview) }

    func title(identity: TaskIdentity, name: String?, preview: String?) -> String {
        let plain = "Codex task " + identity.uuid.prefix(8)
        guard titles == .shown else { return plain }
        if let name {
            let clean = DisplayText.sanitized(name, maximumCharacters: RelayLimits.maximumTitleCharacters)
            if !clean.isEmpty { return clean }
        }
        if let preview {
            let firstLine = preview.drop(while: \.isWhitespace).prefix { !$0.isNewline }
            let clean = DisplayText.sanitized(String(firstLine), maximumCharacters: Self.maximumPreviewCharacters)
            if !clean.isEmpty { return clean }
        }
        return plain
    }

    /// The account's windows; `nil` when none is known. Missing is not zero.
    public static func usage(_ limits: RateLimits) -> Usage? {
        guard let observedAt = limits.observedAt else { return nil }
        let windows = [("primary", limits.primary), ("secondary", limits.secondary)].compactMap { name, window -> Usage.Window? in
            guard let window else { return nil }
            let used = min(max(window.usedPercent, 0), 100)
            let kind = Usage.Window.Kind(durationMinutes: window.durationMinutes)
            return Usage.Window(
                id: kind == .other ? name : kind.rawValue, kind: kind, usedPercent: used, remainingPercent: 100 - used,
                durationMinutes: window.durationMinutes, resetsAt: window.resetsAt)
        }
        return windows.isEmpty ? nil : Usage(windows: windows, observedAt: observedAt)
    }
}
