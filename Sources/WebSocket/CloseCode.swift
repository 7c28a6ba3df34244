/// A status code that may stand in a Close frame: 1000…1003, 1007…1014 or 3000…4999.
///
/// 1004, 1005, 1006 and 1015 are names for things that are never sent, and the rest is reserved, so none of them can be a value here.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    /// - Returns: `nil` for a code that RFC 6455 (and its registry) does not allow on the wire.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: self.rawValue = rawValue
        default: return nil
        }
    }

    private init(known: UInt16) {
        rawValue = known
    }

    /// A code of the application's own.
    ///
    /// - Parameter code: 4000…4999; a number outside is moved to the nearer end, so that constants need no optional.
    public static func application(_ code: UInt16) -> CloseCode {
        CloseCode(known: min(max(code, 4000), 4999))
    }

    public static let normal = CloseCode(known: 1000)
    public static let goingAway = CloseCode(known: 1001)
    public static let protocolError = CloseCode(known: 1002)
    public static let unsupportedData = CloseCode(known: 1003)
    public static let invalidPayload = CloseCode(known: 1007)
    public static let policyViolation = CloseCode(known: 1008)
    public static let messageTooBig = CloseCode(known: 1009)
    public static let internalError = CloseCode(known: 1011)
    public static let serviceRestart = CloseCode(known: 1012)
    public static let tryAgainLater = CloseCode(known: 1013)
}
