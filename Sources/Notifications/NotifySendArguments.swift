import RelayProtocol

/// The command lines of `notify-send`.
struct NotifySendArguments {
    static let actionName = "open"
    /// What servers report for a click on the notification itself.
    static let defaultAction = "default"

    let notification: DesktopNotification
    let abilities: NotificationAbilities

    /// Shows the notification and prints its id.
    func show(replacing id: UInt32?) -> [String] {
        var arguments = common
        if abilities.replaces { arguments.append("--print-id") }
        if let id, abilities.replaces { arguments.append("--replace-id=\(id)") }
        return arguments + words
    }

    /// The same with buttons: prints the id at once, and which button was pressed when one is.
    func showAndWait(replacing id: UInt32?) -> [String] {
        let label = DisplayText.sanitized(notification.action ?? "", maximumCharacters: 32)
        let buttons = ["--wait", "--action=\(Self.defaultAction)=\(label)", "--action=\(Self.actionName)=\(label)"]
        return common + ["--print-id"] + (id.map { ["--replace-id=\($0)"] } ?? []) + buttons + words
    }

    /// Whether the output of the waiting program says that a button was pressed.
    static func isPressed(_ output: [UInt8]) -> Bool {
        String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).contains { $0 == actionName || $0 == defaultAction }
    }

    /// The id in the output; `nil` when there is none.
    static func id(_ output: [UInt8]) -> UInt32? {
        String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).lazy.compactMap { UInt32($0) }.first { $0 > 0 }
    }

    private var common: [String] {
        var arguments = ["--app-name=Codex Deck", "--urgency=\(notification.urgency.rawValue)", "--category=im.received"]
        if notification.isResident { arguments += ["--expire-time=0", "--hint=boolean:resident:true"] }
        return arguments
    }

    private var words: [String] {
        let summary = DisplayText.sanitized(notification.summary, maximumCharacters: 200)
        let body = abilities.body(DisplayText.sanitized(notification.body, maximumCharacters: 400))
        // The program reads backslashes in the body as escapes.
        let literal = String(body.flatMap { $0 == "\\" ? ["\\", "\\"] : [$0] })
        return ["--", summary.isEmpty ? "Codex Deck" : summary] + (literal.isEmpty ? [] : [literal])
    }
}
