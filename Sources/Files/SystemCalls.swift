import Glibc

/// The calls whose failures decide what happens to a user's data; tests replace them to play a full or broken disk.
struct SystemCalls: Sendable {
    var write: @Sendable (CInt, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }
    var synchronize: @Sendable (CInt) -> CInt = { Glibc.fsync($0) }
    var rename: @Sendable (String, String) -> CInt = { Glibc.rename($0, $1) }

    /// Writes everything; 0, or the error number of the call that failed.
    func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 {
                    return EIO
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}

/// A descriptor that is closed when it goes out of scope.
struct Descriptor: ~Copyable {
    let number: CInt

    /// Opens a path close-on-exec; `failure` makes the error from the error number.
    init(
        opening path: String, _ flags: CInt, mode: mode_t = 0, failure: (String, CInt) -> FileError = FileError.reading
    ) throws(FileError) {
        var result: CInt
        repeat { result = open(path, flags | O_CLOEXEC, mode) } while result < 0 && errno == EINTR
        guard result >= 0 else { throw failure(path, errno) }
        number = result
    }

    deinit { close(number) }

    func status(of path: String) throws(FileError) -> stat {
        var result = stat()
        if fstat(number, &result) != 0 { throw .reading(path, errno) }
        return result
    }
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    /// The permission bits alone.
    var permissions: mode_t { st_mode & 0o7777 }
}
