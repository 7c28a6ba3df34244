import Files

/// Why a secret could not be kept or found. None of the texts holds a secret.
public enum SecretStoreError: Error, Equatable, Sendable {
    /// Empty, longer than ``SecretLimits/maximumLength``, or with a NUL in it.
    case unfitting
    /// libsecret is not installed.
    case libraryMissing
    /// There is no session bus, or no program on it that keeps secrets.
    case noService
    /// The keyring has no default collection yet.
    case noCollection
    /// The keyring is locked; it is never unlocked from here, as that would ask the person at the screen.
    case locked
    case timedOut(Duration)
    /// The keyring refused; what it said, without anything that looks like a secret.
    case refused(String)
    /// What is stored is no text within the limits.
    case damaged(String)
    case file(FileError)
}

extension SecretStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unfitting: "A secret must be 1 to \(SecretLimits.maximumLength) bytes of text; give a shorter one."
        case .libraryMissing: "libsecret is not installed; install libsecret-1-0 to use the keyring."
        case .noService: "This session has no keyring; start gnome-keyring, KWallet or KeePassXC to use one."
        case .noCollection: "The keyring is not set up yet; create a default keyring with your desktop's password program."
        case .locked: "The keyring is locked; unlock it, by logging in or with your desktop's password program, and try again."
        case .timedOut(let limit): "The keyring did not answer within \(limit.components.seconds) s; unlock or restart it and try again."
        case .refused(let text): "The keyring refused: \(text); look at it with your desktop's password program."
        case .damaged(let place): "The secret in \(place) is damaged; remove it and enter it again."
        case .file(let error): error.description
        }
    }
}
