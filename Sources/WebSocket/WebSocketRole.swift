/// Which end of a WebSocket this program is. It decides who masks: clients mask every frame, servers none.
public enum WebSocketRole: Equatable, Sendable {
    case server, client
}
