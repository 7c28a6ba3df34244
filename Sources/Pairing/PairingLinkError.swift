/// Why a text is not a usable pairing link. No case can hold any part of a token.
public enum PairingLinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Longer than 4096 bytes.
    case tooLong
    /// Another scheme or host.
    case notAPairingLink
    /// A broken escape, a blank, or bytes that are not UTF-8.
    case malformed
    /// A parameter stands there twice; `nil` for one that this version does not know.
    case repeated(PairingLink.Parameter?)
    case missing(PairingLink.Parameter)
    /// Its version is not 1.
    case unsupportedVersion
    /// Its mode is not `nearby`.
    case unsupportedMode
    /// The endpoint is not `wss`.
    case insecureEndpoint
    /// The endpoint is not in a private network.
    case publicEndpoint
    /// A parameter whose value breaks its rule.
    case invalid(PairingLink.Parameter)

    init(_ problem: CodexDeckURL.Problem) {
        switch problem {
        case .tooLong: self = .tooLong
        case .notCodexDeck: self = .notAPairingLink
        case .malformed: self = .malformed
        }
    }

    public var description: String {
        switch self {
        case .tooLong: "This is too long for a pairing link; copy only the line that starts with codexdeck://pair."
        case .notAPairingLink: "This is not a pairing link; run “decknode pair” on the other computer and copy the link it shows."
        case .malformed: "This pairing link is damaged; copy it again, in one line."
        case .repeated(let parameter?): "This pairing link has its \(parameter.words) twice; make a new one on the other computer."
        case .repeated(nil): "This pairing link has a part twice; make a new one on the other computer."
        case .missing(let parameter): "This pairing link lacks its \(parameter.words); copy all of it."
        case .unsupportedVersion: "This pairing link is of a version that this program does not know; update Codex Deck."
        case .unsupportedMode: "This link is not for a computer nearby; only links with mode “nearby” can be used to pair."
        case .insecureEndpoint: "This pairing link does not lead to a secure connection (wss); it is not used."
        case .publicEndpoint: "This pairing link leads out of the private network; it is not used."
        case .invalid(let parameter): "This pairing link has no valid \(parameter.words); make a new one on the other computer."
        }
    }
}

extension PairingLink.Parameter {
    fileprivate var words: String {
        switch self {
        case .version: "version"
        case .mode: "mode"
        case .hostID: "computer identity"
        case .name: "computer name"
        case .platform: "platform"
        case .endpoint: "address and port"
        case .token: "token"
        case .fingerprint: "certificate fingerprint"
        case .os: "operating system"
        }
    }
}
