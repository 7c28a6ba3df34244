import CLinux
import Glibc

/// What the file system says about one file.
struct FileStatus: Equatable {
    enum Kind { case file, folder, other }

    var kind: Kind
    var device: UInt64
    var inode: UInt64
    /// Bytes.
    var size: Int64
    /// Unix milliseconds.
    var modified: Int64

    private init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            default: .other
            }
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
        size = Int64(raw.st_size)
        modified = Int64(raw.st_mtim.tv_sec) * 1000 + Int64(raw.st_mtim.tv_nsec) / 1_000_000
    }

    /// Follows links.
    init(of path: String) throws(FileFailure) {
        var raw = stat()
        guard stat(path, &raw) == 0 else { throw FileFailure(code: errno) }
        self.init(raw)
    }

    init(of descriptor: Int32) throws(FileFailure) {
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { throw FileFailure(code: errno) }
        self.init(raw)
    }

    init(of name: UnsafePointer<CChar>, in folder: Int32) throws(FileFailure) {
        var raw = stat()
        guard fstatat(folder, name, &raw, 0) == 0 else { throw FileFailure(code: errno) }
        self.init(raw)
    }
}

/// Why a file or folder could not be read.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// The `errno` of the call.
    let code: Int32

    var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// The system's words, such as `Permission denied`.
    var description: String { String(cString: strerror(code)) }
}

/// An open file, closed at the end of its life.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    init(_ path: String, folder: Bool = false) throws(FileFailure) {
        // O_NONBLOCK: a FIFO put where a rollout should be must not hold the reader up.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (folder ? O_DIRECTORY : 0))
        guard descriptor >= 0 else { throw FileFailure(code: errno) }
    }

    deinit { close(descriptor) }

    func status() throws(FileFailure) -> FileStatus { try FileStatus(of: descriptor) }

    /// Reads until `buffer` is full or the file ends.
    ///
    /// - Returns: The bytes read.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> UnsafeRawBufferPointer {
        var done = 0
        while let base = buffer.baseAddress, done < buffer.count {
            let count = pread(descriptor, base + done, buffer.count - done, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw FileFailure(code: errno)
            }
            if count == 0 { break }
            done += count
        }
        return UnsafeRawBufferPointer(rebasing: buffer[..<done])
    }

    /// Reads the file from its beginning in pieces, up to its end or `limit` bytes.
    func readAll(limit: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void) throws(FileFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var total = 0
        while total < limit {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw FileFailure(code: errno)
            }
            if count == 0 { return }
            total += count
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

/// Lists a folder.
enum FolderListing {
    /// Calls `body` with the name and `d_type` of each entry whose name does not begin with a dot.
    ///
    /// - Returns: The folder's own status.
    @discardableResult
    static func forEach(_ path: String, _ body: (_ folder: Int32, _ name: UnsafePointer<CChar>, _ type: UInt8) -> Void) throws(FileFailure)
        -> FileStatus
    {
        guard let stream = opendir(path) else { throw FileFailure(code: errno) }
        defer { closedir(stream) }
        let folder = dirfd(stream)
        let status = try FileStatus(of: folder)
        while let entry = readdir(stream) {
            let name = UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
            if name.pointee != CChar(UInt8(ascii: ".")) { body(folder, name, entry.pointee.d_type) }
        }
        return status
    }

    private static let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 19
}
