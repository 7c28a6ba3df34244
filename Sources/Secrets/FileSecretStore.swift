import Files
import Log

/// Keeps each secret in a file of its own, 0600, in a folder that only its owner may enter. Not encrypted.
public struct FileSecretStore: SecretStore {
    /// The folder of the files.
    public let folder: String

    /// - Parameter stateHome: The state folder of the program; the files are in `secrets` below it.
    public init(stateHome: String) { folder = stateHome + "/secrets" }

    public func store(_ secret: Secret, for key: SecretKey) throws(SecretStoreError) {
        try SecretLimits.check(secret)
        do throws(FileError) {
            try PrivateDirectory.ensure(folder)
            try PrivateDirectory.ensure(folder + "/" + Self.fileName(key.service))
            try AtomicFile.write(secret.reveal(), to: path(key), mode: 0o600)
        } catch {
            throw .file(error)
        }
    }

    /// Repairs the mode of a file that others could read; refuses one that belongs to another user, or a symbolic link.
    public func lookup(_ key: SecretKey) throws(SecretStoreError) -> Secret? {
        let path = path(key)
        let bytes: [UInt8]
        do throws(FileError) {
            if try PrivateFile.check(path) == .missing { return nil }
            bytes = try File.read(path, limit: SecretLimits.maximumLength, followingLink: false)
        } catch {
            if case .missing = error { return nil }
            if case .tooLarge = error { throw .damaged(path) }
            throw .file(error)
        }
        guard !bytes.isEmpty, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw .damaged(path) }
        return Secret(text)
    }

    @discardableResult
    public func remove(_ key: SecretKey) throws(SecretStoreError) -> Bool {
        do throws(FileError) {
            AtomicFile.removeLeftovers(of: path(key))
            return try File.remove(path(key))
        } catch {
            throw .file(error)
        }
    }

    func path(_ key: SecretKey) -> String { folder + "/" + Self.fileName(key.service) + "/" + Self.fileName(key.account) }

    /// The name with every byte but letters, digits, `-`, `_` and inner `.` as `%` and two hexadecimal digits: different names never
    /// meet in one file, and none leads out of the folder.
    static func fileName(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where !result.isEmpty: result += "."
            default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
