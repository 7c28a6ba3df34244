import DeckClient
import EventLoop
import Log
import Relay

/// Connects to a node that was just paired, so that nobody learns later that the pairing is of no use.
enum PairingTrial {
    /// How long the node may take.
    private static let patience = Duration.seconds(4)

    /// - Returns: Why the node does not answer, as a sentence; `nil` when it does.
    static func failure(of profile: NodeProfile, token: Secret) async -> String? {
        let loop: EventLoop
        do { loop = try EventLoop(name: "pair") } catch { return "\(error)" }
        defer { loop.shutdown() }
        switch await ConnectionTest.run(NodeLink.target(of: profile, token: token), within: patience, loop: loop) {
        case .success: return nil
        case .failure(let error): return sentence(error)
        }
    }

    /// That the computer has to be paired is no advice to somebody who just did.
    static func sentence(_ error: RelayConnectionError) -> String {
        let again = "make a new link there with `decknode pair --link`."
        return switch error {
        case .pinMismatch: "it has another certificate than the link says; \(again)"
        case .tokenRejected: "it does not accept the token of the link; \(again)"
        case .hostChanged: "another computer answers at this address; \(again)"
        default: error.sentence
        }
    }
}
