import CLinux
import EventLoop
import Glibc

/// A socket to the kernel's routing tables, closed with its value.
struct NetlinkSocket: ~Copyable {
    let descriptor: Int32

    /// - Parameters:
    ///   - groups: What to be told of changes: a set of `RTMGRP_` bits, or 0.
    ///   - isBlocking: Whether to wait for answers.
    /// - Throws: ``EventLoop/SystemError``, EAFNOSUPPORT when a sandbox forbids such sockets.
    init(groups: UInt32, isBlocking: Bool) throws(SystemError) {
        let flags = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | (isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        descriptor = socket(AF_NETLINK, flags, NETLINK_ROUTE)
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) }
        }
        guard bound == 0 else { throw SystemError(call: "bind", code: errno) }
    }

    deinit { close(descriptor) }

    /// Asks for all entries of a table and hands each datagram of the answer to `messages`.
    func dump(_ request: Int32, headerLength: Int, into messages: inout NetlinkMessages) throws(SystemError) {
        // The kernel answers at once; the bound is for a sandbox that swallows the question.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let question = Self.question(request, headerLength: headerLength)
        guard send(descriptor, question, question.count, 0) == question.count else { throw SystemError(call: "send", code: errno) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(call: "recv", code: count == 0 ? EPIPE : errno) }
            switch messages.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
            case .more: continue
            case .done: return
            case .failed(let code): throw SystemError(call: "netlink", code: code)
            }
        }
    }

    /// Throws away what has arrived.
    ///
    /// - Returns: Whether anything had, an overflow included.
    func drain() -> Bool {
        var scratch = [UInt8](repeating: 0, count: 8192)
        var any = false
        // Bounded, so that a storm of changes cannot hold the loop: what is left makes the descriptor readable again.
        for _ in 0..<64 {
            let count = recv(descriptor, &scratch, scratch.count, 0)
            guard count > 0 || errno == ENOBUFS || errno == EINTR else { break }
            any = true
        }
        return any
    }

    /// `struct nlmsghdr` and an empty body of the request's own kind, for IPv4.
    private static func question(_ request: Int32, headerLength: Int) -> [UInt8] {
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(16 + headerLength)
        header.nlmsg_type = UInt16(request)
        header.nlmsg_flags = UInt16(NLM_F_REQUEST) | 0x300 // NLM_F_DUMP
        header.nlmsg_seq = 1
        var bytes = withUnsafeBytes(of: header) { Array($0) } + [UInt8](repeating: 0, count: headerLength)
        bytes[16] = request == Int32(RTM_GETLINK) ? UInt8(AF_UNSPEC) : UInt8(AF_INET)
        return bytes
    }
}

extension NetworkState {
    /// Asks the kernel. Takes well under a millisecond.
    ///
    /// - Throws: ``EventLoop/SystemError``.
    public static func current() throws(SystemError) -> NetworkState {
        let socket = try NetlinkSocket(groups: 0, isBlocking: true)
        var messages = NetlinkMessages()
        try socket.dump(Int32(RTM_GETLINK), headerLength: 16, into: &messages)
        try socket.dump(Int32(RTM_GETADDR), headerLength: 8, into: &messages)
        try socket.dump(Int32(RTM_GETROUTE), headerLength: 12, into: &messages)
        return messages.state
    }
}
