import FoundationEssentials

/// Remembers for as long as the object lives.
public actor InMemoryMemoryStore: AgentMemoryStoring {
    private var records: [String: MemoryRecord] = [:]
    private let now: @Sendable () -> Date

    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    public func save(_ records: [MemoryRecord]) { for record in records { self.records[record.id] = record } }

    public func records(matching query: MemoryQuery) -> [MemoryRecord] {
        let admitted = records.values.filter { query.admits($0, at: now()) }
        guard let text = query.text else { return Array(admitted.sorted(by: Self.isMoreImportant).prefix(max(0, query.limit))) }
        let wanted = Set(MemoryQuery.words(of: text))
        let scored = admitted.compactMap { record -> (record: MemoryRecord, score: Int)? in
            let score = wanted.intersection(MemoryQuery.words(of: record.summary + " " + record.tags.joined(separator: " "))).count
            return score > 0 ? (record, score) : nil
        }
        let best = scored.sorted { $0.score == $1.score ? Self.isMoreImportant($0.record, $1.record) : $0.score > $1.score }
        return best.prefix(max(0, query.limit)).map(\.record)
    }

    public func record(id: String) -> MemoryRecord? { records[id] }

    public func delete(ids: [String]) { for id in ids { records[id] = nil } }

    @discardableResult
    public func deleteExpired(at now: Date) -> Int {
        let expired = records.values.filter { $0.expiresAt.map { $0 <= now } ?? false }
        for record in expired { records[record.id] = nil }
        return expired.count
    }

    static func isMoreImportant(_ left: MemoryRecord, _ right: MemoryRecord) -> Bool {
        (right.importance, right.updatedAt, left.id) < (left.importance, left.updatedAt, right.id)
    }
}
