/// What a desktop notification says, and which one it takes the place of.
public struct DesktopNotification: Sendable, Equatable {
    public enum Urgency: String, Sendable, CaseIterable { case low, normal, critical }

    /// Notifications of one key replace each other.
    public var key: String
    public var summary: String
    /// Plain text; what a server would read as markup is escaped.
    public var body: String
    public var urgency: Urgency
    /// The word on its button, which also stands for a click on the notification; `nil` for none.
    public var action: String?
    /// Stays until it is closed, as far as the server plays along.
    public var isResident: Bool

    /// - Parameters:
    ///   - key: 1 … 128 bytes.
    ///   - summary: Cut to 200 characters on one line.
    ///   - body: Cut to 400 characters on one line.
    public init(key: String, summary: String, body: String = "", urgency: Urgency = .normal, action: String? = nil, isResident: Bool = false) {
        self.key = key
        self.summary = summary
        self.body = body
        self.urgency = urgency
        self.action = action
        self.isResident = isResident
    }
}
