import FoundationEssentials

/// What a person needs in order to sign in with a code.
public struct DeviceCodePrompt: Hashable, Sendable {
    /// The page to open, on any device.
    public let verificationURL: URL
    /// What to type there.
    public let userCode: String
    /// When the code stops working.
    public let expiresAt: Date

    public init(verificationURL: URL, userCode: String, expiresAt: Date) {
        self.verificationURL = verificationURL
        self.userCode = userCode
        self.expiresAt = expiresAt
    }
}

/// Shows the code of a sign-in.
public protocol DeviceCodePresenting: Sendable {
    /// Shows the page and the code; returns at once.
    func presentDeviceCode(_ prompt: DeviceCodePrompt) async
    /// The sign-in is over, one way or the other: the code is of no more use.
    func dismissDeviceCode() async
}
