import Glibc

/// A system call that failed, and the errno it left.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name, for instance `epoll_ctl`.
    public let call: String
    /// The value of `errno` right after it.
    public let code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The current `errno`; use it in the statement after the failed call.
    static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }

    public var description: String { "The system call \(call) failed: \(Self.text(code)) (errno \(code))." }

    /// The C library's words for an errno value.
    public static func text(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else { return "error \(code)" }
            return String(cString: base)
        }
    }
}
