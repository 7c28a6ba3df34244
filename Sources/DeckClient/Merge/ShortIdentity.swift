import RelayProtocol

/// The beginnings of identities as lists and messages print them: the eight digits of identities made within one minute are alike.
public enum ShortIdentity {
    /// The fewest characters that are printed.
    public static let minimum = 8

    /// The shortest beginning of each identity, of ``minimum`` characters or more, that none of the others has.
    public static func prefixes(of identities: some Sequence<TaskIdentity>) -> [TaskIdentity: String] {
        let sorted = Set(identities).sorted { $0.uuid < $1.uuid }
        var prefixes: [TaskIdentity: String] = [:]
        // What is alike for longest stands side by side.
        for (index, identity) in sorted.enumerated() {
            let before = index > 0 ? shared(identity, sorted[index - 1]) : 0
            let after = index + 1 < sorted.count ? shared(identity, sorted[index + 1]) : 0
            prefixes[identity] = String(identity.uuid.prefix(max(minimum, before + 1, after + 1)))
        }
        return prefixes
    }

    /// The shortest beginning that means `identity` among the tasks of `board`.
    public static func prefix(of identity: TaskIdentity, on board: Board) -> String {
        prefixes(of: board.tasks.compactMap(\.identity) + [identity])[identity] ?? identity.uuid
    }

    private static func shared(_ left: TaskIdentity, _ right: TaskIdentity) -> Int {
        zip(left.uuid.utf8, right.uuid.utf8).prefix { $0 == $1 }.count
    }
}
