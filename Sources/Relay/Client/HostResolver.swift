import EventLoop
import Glibc

/// Turns a host name into addresses without blocking the loop.
enum HostResolver {
    struct Failure: Error { var reason: String }

    private final class Request {
        let host: String
        let port: UInt16
        let completion: @Sendable (Result<[SocketAddress], Failure>) -> Void

        init(host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], Failure>) -> Void) {
            self.host = host
            self.port = port
            self.completion = completion
        }
    }

    /// - Parameter completion: Called on any thread, once.
    static func resolve(host: String, port: UInt16, completion: @escaping @Sendable (Result<[SocketAddress], Failure>) -> Void) {
        if let address = try? SocketAddress(host: host, port: port) { return completion(.success([address])) }
        // getaddrinfo blocks for as long as the resolver pleases, so it has a thread of its own.
        let request = Unmanaged.passRetained(Request(host: host, port: port, completion: completion))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { context in
            guard let context else { return nil }
            let request = Unmanaged<Request>.fromOpaque(context).takeRetainedValue()
            request.completion(HostResolver.lookUp(request.host, request.port))
            return nil
        }, request.toOpaque())
        if code == 0 {
            pthread_detach(thread)
        } else {
            request.release()
            completion(.failure(Failure(reason: "no thread is available")))
        }
    }

    private static func lookUp(_ host: String, _ port: UInt16) -> Result<[SocketAddress], Failure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return .failure(Failure(reason: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next {
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(name.count)
            if getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, size, nil, 0, NI_NUMERICHOST) == 0 {
                let end = name.firstIndex(of: 0) ?? name.count
                let text = String(decoding: name[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if let address = try? SocketAddress(host: text, port: port), !addresses.contains(address) { addresses.append(address) }
            }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(Failure(reason: "it has no address")) : .success(addresses)
    }
}
