import JSON

extension ClientMessage {
    /// The message as the text to send.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { message in
            switch self {
            case .auth(let token, let fresh):
                message.member("type", "auth")
                message.member("protocol", RelayLimits.version)
                message.member("token", token)
                if fresh { message.member("capabilities", array: { $0.string("fresh") }) }
            case .command(let requestID, let command):
                message.member("type", "command")
                message.member("protocol", RelayLimits.version)
                message.member("requestId", requestID)
                message.member("command", object: command.write)
            }
        }
        return writer.bytes
    }
}
