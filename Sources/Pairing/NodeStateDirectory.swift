import Files
import Glibc
import JSON
import RelayProtocol

/// The folder with the node's identity and its listeners' configurations, all of them private files.
public struct NodeStateDirectory: Sendable {
    /// Usually `~/.local/state/codex-deck`.
    public let path: String
    /// The time since 1970-01-01T00:00Z, for the names of damaged files.
    private let now: @Sendable () -> Duration

    public init(path: String, now: @escaping @Sendable () -> Duration) {
        self.path = path
        self.now = now
    }

    /// The QR picture that `decknode pair` leaves for the owner. It holds the token, as the configuration does.
    public var pairingPicturePath: String { file(Self.pictureName) }

    private static let pictureName = "mobile-local-pairing.svg"

    /// The files a running node watches: a change of one means that the owner changed the pairing.
    public static let watchedFiles = [HostIdentity.fileName, NearbyConfiguration.fileName, RelayServerConfiguration.fileName]

    /// Reads who this computer is.
    ///
    /// - Throws: ``Files/FileError`` when the file is there and cannot be read or trusted.
    public func hostIdentity() throws(FileError) -> StoredState<HostIdentity> { try load() }

    /// Reads how the node serves its neighbourhood; see ``hostIdentity()``.
    public func nearby() throws(FileError) -> StoredState<NearbyConfiguration> { try load() }

    /// Reads how the node serves clients far away; see ``hostIdentity()``.
    public func relayServer() throws(FileError) -> StoredState<RelayServerConfiguration> { try load() }

    func load<Record: NodeStateRecord>(_ type: Record.Type = Record.self) throws(FileError) -> StoredState<Record> {
        let path = file(Record.fileName)
        let condition = try PrivateFile.check(path)
        guard condition != .missing else { return .missing }
        do throws(StateProblem) {
            return .present(try Record(json: try parse(path)), exposed: condition != .fine)
        } catch {
            if let cause = error.cause { throw cause }
            let moved = try DamagedFile.setAside(path, now: now())
            return .damaged(DamagedState(fileName: Record.fileName, movedTo: moved, problem: error.words))
        }
    }

    func store<Record: NodeStateRecord>(_ record: Record) throws(FileError) {
        try PrivateDirectory.ensure(path)
        try AtomicFile.write(record.json.encoded() + [UInt8(ascii: "\n")], to: file(Record.fileName), mode: 0o600)
    }

    /// Deletes a file.
    ///
    /// - Returns: Whether there was one.
    func remove(_ name: String) throws(FileError) -> Bool {
        if unlink(file(name)) == 0 { return true }
        let code = errno
        guard code != ENOENT else { return false }
        throw code == EROFS ? .readOnly(file(name)) : .unwritable(file(name), errno: code)
    }

    /// Writes the QR picture for the owner, replacing an older one.
    public func storePairingPicture(_ svg: String) throws(FileError) {
        try PrivateDirectory.ensure(path)
        try AtomicFile.write(svg, to: pairingPicturePath, mode: 0o600)
    }

    func removePairingPicture() throws(FileError) -> Bool { try remove(Self.pictureName) }

    /// Keeps two commands from creating two identities at once. Readers need no lock: files change as a whole.
    func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        try PrivateDirectory.ensure(path)
        return try AdvisoryLock.hold(file("pairing.lock"), while: body)
    }

    private func file(_ name: String) -> String { path + "/" + name }

    private func parse(_ path: String) throws(StateProblem) -> JSONValue {
        let bytes: [UInt8]
        do { bytes = try File.read(path, limit: 65_536, followingLink: false) } catch {
            if case .tooLarge = error { throw StateProblem("it is too large") }
            throw StateProblem(cause: error)
        }
        do { return try JSONParser().parse(bytes) } catch { throw StateProblem("it is not valid JSON") }
    }
}

/// What a state file turned out to be.
public enum StoredState<Value: Sendable>: Sendable {
    case missing
    /// The value. `exposed` says that others could read the file until now, so its secrets should be rotated.
    case present(Value, exposed: Bool)
    /// The file made no sense and was renamed.
    case damaged(DamagedState)

    public var value: Value? { if case .present(let value, _) = self { value } else { nil } }
    public var isExposed: Bool { if case .present(_, let exposed) = self { exposed } else { false } }
    public var damage: DamagedState? { if case .damaged(let damage) = self { damage } else { nil } }
}

extension StoredState: Equatable where Value: Equatable {}

/// A state file that made no sense and was set aside.
public struct DamagedState: Equatable, Sendable, CustomStringConvertible {
    /// Its former name.
    public let fileName: String
    /// Where it is now.
    public let movedTo: String
    /// What was wrong, as the end of a sentence; it quotes nothing of the file.
    public let problem: String

    public var description: String { "\(fileName) was damaged (\(problem)) and is now \(movedTo)." }
}

/// A value that is one JSON file of the state folder.
protocol NodeStateRecord: Sendable {
    static var fileName: String { get }
    init(json: JSONValue) throws(StateProblem)
    var json: JSONValue { get }
}

/// Why a state file could not be used: its content, or its file.
struct StateProblem: Error {
    let words: String
    let cause: FileError?

    init(_ words: String) {
        self.words = words
        cause = nil
    }

    init(cause: FileError) {
        words = ""
        self.cause = cause
    }
}

/// Why a change of the node's identity or configuration failed.
public enum NodeStateError: Error, Equatable, CustomStringConvertible {
    /// The source of randomness gave fewer bytes than asked for.
    case noRandomness

    public var description: String {
        switch self {
        case .noRandomness: "The system gave no randomness for a key; try again."
        }
    }
}
