import RelayProtocol

/// A widget and what it is to show.
public enum Widget: Sendable, Equatable {
    /// How much of the account's limits is used; the weekly one, or both.
    case capacity(both: Bool)
    /// The task at work, else the selected one, else the most recently active.
    case agent
    /// The first tasks of the board: 3 or 6.
    case board(count: Int)
    /// One key that a click presses.
    case command(Keycap, Target)
    /// Up to four keys.
    case deck([Keycap], Target)
    /// The followed task.
    case follow

    /// The computer a key is meant for.
    public enum Target: Sendable, Equatable {
        case selected
        case named(String)
    }

    public static let deckCapacity = 4
}

/// What a bar draws a widget with.
public enum WidgetFormat: String, Sendable, CaseIterable { case waybar, i3blocks, tmux, plain, json }

/// A widget at one moment, before a bar's own language.
public struct WidgetFace: Sendable, Equatable {
    /// Colours stand beside words, never for them.
    public enum Tone: String, Sendable, CaseIterable { case plain, quiet, working, finished, waiting, failed, warning }

    /// A part of the line.
    public struct Part: Sendable, Equatable {
        public var text: String
        public var tone: Tone

        public init(_ text: String, _ tone: Tone = .plain) {
            self.text = text
            self.tone = tone
        }
    }

    public var parts: [Part]
    /// For bars with little room.
    public var short: String
    /// Lines that show when the pointer rests on it.
    public var details: [String]
    /// Words for style sheets, such as `waiting` and `stale`.
    public var classes: [String]
    /// 0 … 100, where the widget measures something.
    public var percent: Int?

    public var text: String { parts.map(\.text).joined() }
    /// The tone that stands for all of it: the most urgent one.
    public var tone: Tone {
        let order: [Tone] = [.waiting, .failed, .warning, .working, .finished, .plain, .quiet]
        return order.first { tone in parts.contains { $0.tone == tone } } ?? .plain
    }
}

extension WidgetFace.Tone {
    init(_ status: TaskStatus) {
        switch status.meaning {
        case .waiting: self = .waiting
        case .failed: self = .failed
        case .working: self = .working
        case .finished: self = .finished
        case .idle, .off: self = .quiet
        }
    }

    /// Of a context that is that full.
    init(contextPercent: Int) { self = contextPercent >= 92 ? .failed : contextPercent >= 80 ? .warning : .plain }
}
