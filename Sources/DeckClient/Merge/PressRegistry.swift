import RelayProtocol

/// The tasks a press is under way for: a second press of the same one is swallowed.
public struct PressRegistry: Sendable {
    private var underWay: Set<TaskIdentity> = []

    public init() {}

    /// - Returns: Whether the press may start; `false` swallows it. Every `true` needs one ``end(_:)``.
    public mutating func begin(_ task: TaskIdentity) -> Bool { underWay.insert(task).inserted }
    public mutating func end(_ task: TaskIdentity) { underWay.remove(task) }
    public func contains(_ task: TaskIdentity) -> Bool { underWay.contains(task) }
}
