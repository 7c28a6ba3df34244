import Files
import Glibc

/// Makes stores of one path share what they keep open, so that two runtimes of a process do not undo each other's work. Another
/// process is kept out by a lock.
actor StateCoreRegistry {
    static let shared = StateCoreRegistry()

    private struct Entry {
        weak var core: (any AnyObject & Sendable)?
    }

    private var cores: [String: Entry] = [:]

    /// The open core of a path, or the one that `open` makes.
    func core<Core: AnyObject & Sendable>(_ path: String, open: @Sendable (String) throws -> Core) throws -> Core {
        let key = "\(Core.self) " + Self.canonical(path)
        if let core = cores[key]?.core as? Core { return core }
        cores = cores.filter { $0.value.core != nil }
        let core = try open(path)
        cores[key] = Entry(core: core)
        return core
    }

    /// The folder may be reached by several names.
    private static func canonical(_ path: String) -> String {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard let resolved = realpath(folder, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved) + "/" + (slash.map { path[path.index(after: $0)...] } ?? path[...])
    }
}

/// What the stores on the disk do before they open their file.
enum StatePreparation {
    /// Makes the folder if it is missing and takes the lock.
    static func lock(_ path: String) throws(AgentRuntimeError) -> AdvisoryLock {
        do throws(FileError) {
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                let folder = String(path[..<slash])
                // A folder that exists may be shared with others, and stays as it is.
                if access(folder, F_OK) != 0 { try PrivateDirectory.ensure(folder) }
            }
        } catch {
            throw failed(error)
        }
        do throws(LockError) {
            return try lockOnceFree(path + ".lock")
        } catch {
            switch error {
            case .heldBy: throw AgentRuntimeError(code: .stateStoreInUse, message: "The threads are in use: " + error.description)
            case .failed(let error): throw failed(error)
            }
        }
    }

    /// A store of this process that is going just now may still hold it for a moment.
    private static func lockOnceFree(_ path: String) throws(LockError) -> AdvisoryLock {
        for _ in 0..<500 {
            do throws(LockError) {
                return try AdvisoryLock(path)
            } catch {
                guard case .heldBy(pid: getpid(), _) = error else { throw error }
                usleep(2_000)
            }
        }
        return try AdvisoryLock(path)
    }

    static func failed(_ error: some Error & CustomStringConvertible) -> AgentRuntimeError {
        AgentRuntimeError(code: .stateStoreFailed, message: "The threads cannot be read or kept: \(error.description)")
    }
}
