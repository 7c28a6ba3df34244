import Glibc

/// Why a file could not be read, written or trusted.
public enum FileError: Error, Equatable, Sendable {
    case missing(String)
    case notRegular(String)
    case notDirectory(String)
    /// The last part of the path is a symbolic link where none may stand.
    case symbolicLink(String)
    case tooLarge(String, limit: Int)
    case alreadyExists(String)
    case unreadable(String, errno: CInt)
    case noSpace(String)
    case readOnly(String)
    case unwritable(String, errno: CInt)
    case foreignOwner(String, owner: UInt32)
    /// Neither `HOME` nor the user database names a home folder.
    case noHome
}

extension FileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path): "\(path) does not exist."
        case .notRegular(let path): "\(path) is not a regular file; move it away."
        case .notDirectory(let path): "\(path) is not a folder; move it away."
        case .symbolicLink(let path): "\(path) is a symbolic link, which is not followed here; replace it by the file itself."
        case .tooLarge(let path, let limit): "\(path) is larger than the \(limit) bytes that are read of it."
        case .alreadyExists(let path): "\(path) exists already."
        case .unreadable(let path, let code): "\(path) cannot be read: \(Self.text(code))."
        case .noSpace(let path): "There is no space left to write \(path); its former content is kept. Free some and try again."
        case .readOnly(let path): "\(path) is on a read-only file system; its former content is kept."
        case .unwritable(let path, let code): "\(path) cannot be written: \(Self.text(code))."
        case .foreignOwner(let path, let owner): "\(path) belongs to another user (uid \(owner)) and is not trusted; remove it or change its owner."
        case .noHome: "No home folder is known; set HOME."
        }
    }

    private static func text(_ code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The error for a failed call that reads.
    static func reading(_ path: String, _ code: CInt) -> FileError {
        switch code {
        case ENOENT, ENOTDIR: .missing(path)
        case ELOOP: .symbolicLink(path)
        default: .unreadable(path, errno: code)
        }
    }

    /// The error for a failed call that writes.
    static func writing(_ path: String, _ code: CInt) -> FileError {
        switch code {
        case ENOSPC, EDQUOT: .noSpace(path)
        case EROFS: .readOnly(path)
        case EEXIST: .alreadyExists(path)
        case ELOOP: .symbolicLink(path)
        case EISDIR: .notRegular(path)
        default: .unwritable(path, errno: code)
        }
    }
}
