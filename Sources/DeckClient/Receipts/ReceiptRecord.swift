import RelayProtocol

/// What became of a command, in words: kept for a look back.
public struct ReceiptRecord: Sendable, Equatable, Identifiable {
    /// How far it is, or how it ended.
    public enum Step: Sendable, Hashable {
        case sending
        case confirmedByHost
        /// `word` is for scripts, `sentence` for people.
        case finished(CommandOutcome.Kind, word: String, sentence: String)
    }

    /// Grows with every command, across restarts.
    public let id: Int64
    /// What was asked, in a word or two.
    public let action: String
    public let task: TaskIdentity?
    /// On one line; empty when no task was meant or it had no title.
    public let title: String
    /// On one line; empty when no computer was found.
    public let hostName: String
    public var step: Step
    /// When the step was reached.
    public var at: UnixMilliseconds

    public init(
        id: Int64, action: String, task: TaskIdentity? = nil, title: String = "", hostName: String = "", step: Step, at: UnixMilliseconds
    ) {
        self.id = id
        self.action = DisplayText.sanitized(action, maximumCharacters: 32)
        self.task = task
        self.title = DisplayText.sanitized(title, maximumCharacters: AttentionEvent.titleLimit)
        self.hostName = DisplayText.sanitized(hostName, maximumCharacters: AttentionEvent.hostNameLimit)
        self.step = step
        self.at = at
    }

    public var isFailure: Bool { if case .finished(.failure, _, _) = step { true } else { false } }
    public var isFinished: Bool { if case .finished = step { true } else { false } }

    /// One sentence on how far it is.
    public var sentence: String {
        switch step {
        case .sending: "Sending…"
        case .confirmedByHost: "Confirmed by the computer…"
        case .finished(_, _, let sentence): sentence
        }
    }
}

extension ReceiptRecord.Step {
    /// - Returns: `nil` for a command that has not begun.
    public init?(_ stage: PressTransaction.Stage) {
        switch stage {
        case .idle: return nil
        case .sending: self = .sending
        case .confirmedByHost: self = .confirmedByHost
        case .finished(let outcome):
            self = .finished(outcome.kind, word: outcome.word, sentence: DisplayText.sanitized("\(outcome)", maximumCharacters: 240))
        }
    }
}

/// The last receipts.
public struct ReceiptLog: Sendable, Equatable {
    public static let capacity = 20

    /// Newest first.
    public private(set) var records: [ReceiptRecord]
    /// The highest id ever given.
    public private(set) var lastID: Int64

    public init(_ kept: [ReceiptRecord] = []) {
        records = Array(kept.sorted { $0.id > $1.id }.prefix(Self.capacity))
        lastID = records.first?.id ?? 0
    }

    /// Opens a record for a new command.
    public mutating func add(
        action: String, task: TaskIdentity?, title: String, hostName: String, step: ReceiptRecord.Step, at: UnixMilliseconds
    ) -> ReceiptRecord {
        lastID += 1
        let record = ReceiptRecord(id: lastID, action: action, task: task, title: title, hostName: hostName, step: step, at: at)
        records.insert(record, at: 0)
        if records.count > Self.capacity { records.removeLast(records.count - Self.capacity) }
        return record
    }

    /// Takes the next step of a command.
    ///
    /// - Returns: The record; `nil` when it is gone already.
    public mutating func update(_ id: Int64, step: ReceiptRecord.Step, at: UnixMilliseconds) -> ReceiptRecord? {
        guard let index = records.firstIndex(where: { $0.id == id }) else { return nil }
        records[index].step = step
        records[index].at = at
        return records[index]
    }

    /// Ends what an engine that is gone left under way: nobody will ever know what became of it.
    mutating func abandonOpen(at: UnixMilliseconds) {
        for index in records.indices where !records[index].isFinished {
            let name = records[index].hostName
            guard let step = ReceiptRecord.Step(.finished(.unknown(name: name.isEmpty ? "the computer" : name))) else { continue }
            records[index].step = step
            records[index].at = at
        }
    }
}

extension ClientSettings {
    /// Whether a receipt is to be shown while the user works. All of them are kept for a look back, whatever this says.
    public func shows(_ step: ReceiptRecord.Step) -> Bool {
        switch (receipts, step) {
        case (_, .finished(.failure, _, _)) where alwaysShowCriticalErrors: true
        case (.off, _): false
        case (.detailed, _): true
        case (.minimal, .finished(.failure, _, _)), (.minimal, .finished(.warning, _, _)): true
        case (.minimal, .sending), (.minimal, .confirmedByHost), (.minimal, .finished(.success, _, _)): false
        }
    }
}
