import EventLoop
import Relay
import RelayProtocol

/// A connection to a node as the engine uses it: ``RelayConnection`` outside of tests.
package protocol NodeConnection: AnyObject {
    /// Called on the loop; ``RelayEvent/ended(_:)`` comes once, last.
    var onEvent: ((RelayEvent) -> Void)? { get set }
    func start()
    /// - Returns: The id the result will carry; `nil` when the connection is not ready.
    func send(_ command: Command) -> String?
    /// Asks at once whether the node still lives.
    func probe()
    func close()
}

extension RelayConnection: NodeConnection {}
