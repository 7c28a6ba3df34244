/// Carries whole messages to the server and back. Confined to its loop; handlers come from the loop, never from inside a call.
public protocol MessageTransport: AnyObject {
    /// Called when messages can be sent.
    var onOpen: (() -> Void)? { get set }
    var onMessage: (([UInt8]) -> Void)? { get set }
    /// Called once, last.
    var onEnd: ((TransportEnd) -> Void)? { get set }

    /// Begins; once.
    func start()
    func send(_ message: [UInt8])
    /// Asks whether the other side still lives; one that does not answer ends the transport.
    func probe()
    /// Ends it; ``onEnd`` follows with ``TransportEnd/closedHere``.
    func close()
}

/// Why a transport ended.
public enum TransportEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no socket: no daemon has been started yet.
    case absent
    /// The socket file is there and nobody answers: its daemon was killed.
    case refused
    case closedHere
    /// The connection was made and has ended; the reason is for the log.
    case lost(String)
    /// The other side does not speak the protocol.
    case violation(String)

    public var description: String {
        switch self {
        case .absent: "No Codex daemon has been started yet."
        case .refused: "The Codex daemon has ended; its socket is a leftover."
        case .closedHere: "The connection to the Codex daemon was closed here."
        case .lost(let reason): "The connection to the Codex daemon ended: \(Self.clause(reason))."
        case .violation(let reason): "What answers on the Codex daemon's socket is no Codex daemon: \(Self.clause(reason))."
        }
    }

    /// Reasons may come from below as whole sentences.
    private static func clause(_ reason: String) -> Substring { reason.hasSuffix(".") ? reason.dropLast() : reason[...] }
}

/// The most a message may have. Old conversations come as one message; nothing near this size has been seen.
let maximumMessageBytes = 64 << 20
