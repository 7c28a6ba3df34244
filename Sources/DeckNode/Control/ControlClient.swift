import Files
import Glibc

/// Asks the running node something, from a command. Blocking: a command has nothing else to do.
public struct ControlClient: Sendable {
    public enum Failure: Error, CustomStringConvertible {
        /// There is no node.
        case notRunning
        case refused(String)
        case broken(String)

        public var description: String {
            switch self {
            case .notRunning: "No node is running; start one with `decknode serve`."
            case .refused(let sentence): sentence
            case .broken(let reason): "The node did not answer properly: \(reason)."
            }
        }
    }

    private static let maximumReplyBytes = 16 << 20
    private static let timeoutSeconds = 10
    let path: String

    public init(path: String) { self.path = path }

    /// - Returns: `nil` when no node is running.
    public func askIfRunning(_ request: ControlRequest) throws(Failure) -> ControlReply? {
        do throws(Failure) { return try ask(request) } catch {
            if case .notRunning = error { return nil }
            throw error
        }
    }

    public func ask(_ request: ControlRequest) throws(Failure) -> ControlReply {
        let descriptor = try connect()
        defer { close(descriptor) }
        try send(request.line, to: descriptor)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while answer.last != 0x0a {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .broken(count == 0 ? "it closed the connection" : "it took too long") }
            answer += buffer[..<count]
            guard answer.count <= Self.maximumReplyBytes else { throw .broken("the answer is too long") }
        }
        guard let reply = ControlReply(line: Array(answer.dropLast())) else { throw .broken("the answer is no JSON") }
        return reply
    }

    private func connect() throws(Failure) -> CInt {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .broken(String(cString: strerror(errno))) }
        var limit = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else {
            close(descriptor)
            throw .broken("the path of its socket is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            if code == ENOENT || code == ECONNREFUSED { throw .notRunning }
            throw .broken(String(cString: strerror(code)))
        }
        return descriptor
    }

    private func send(_ bytes: [UInt8], to descriptor: CInt) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .broken("it does not take the request") }
            rest = rest.dropFirst(count)
        }
    }
}
