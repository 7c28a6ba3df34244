import Files
import HTTP

/// The client that all parts of the library share, so that there is one thread and one set of connections.
enum HTTPTransport {
    static let shared = HTTPClient(environment: ProcessEnvironment.current())
}
