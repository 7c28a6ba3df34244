extension ClientDatabase.Change {
    /// What makes the second list of events of the first.
    init(from old: [AttentionEvent], to new: [AttentionEvent]) {
        guard old != new else { return }
        let former = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        events = new.filter { former[$0.id] != $0 }.sorted { $0.id < $1.id }
        let kept = Set(new.map(\.id))
        removedEvents = old.map(\.id).filter { !kept.contains($0) }.sorted()
    }
}
