import EventLoop
import Files
import FoundationEssentials

/// The open file of ``FileRuntimeStateStore``. Runs on a thread of its own, as it waits for the disk.
actor FileStateCore {
    private static let limit = 1 << 30

    private let path: String
    private let lock: AdvisoryLock
    private let loop: EventLoop
    private let attachments: AttachmentFolder
    private var document: RuntimeStateDocument
    private var notices: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(path: String) throws {
        self.path = path
        lock = try StatePreparation.lock(path)
        attachments = AttachmentFolder(path: path + ".attachments")
        AtomicFile.removeLeftovers(of: path)
        (document, notices) = try Self.read(path)
        attachments.removeAll(except: Set(document.threads.values.flatMap { AttachmentFolder.names(of: $0.history) }))
        do throws(SystemError) { loop = try EventLoop(name: "codexkit-state") } catch { throw StatePreparation.failed(error) }
    }

    deinit { loop.shutdown() }

    private static func read(_ path: String) throws(AgentRuntimeError) -> (RuntimeStateDocument, [String]) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(path, limit: limit)
            _ = try PrivateFile.check(path)
        } catch {
            if case .missing = error { return (RuntimeStateDocument(), []) }
            throw StatePreparation.failed(error)
        }
        struct Form: Decodable { var version: Int }
        do {
            let data = Data(bytes)
            let form = try JSONDecoder().decode(Form.self, from: data)
            guard form.version <= RuntimeStateDocument.currentVersion else {
                throw AgentRuntimeError(
                    code: .stateStoreFailed, message: "The threads were kept by a newer version of this program (form \(form.version)); update it.")
            }
            return (try JSONDecoder().decode(RuntimeStateDocument.self, from: data), [])
        } catch let error as AgentRuntimeError {
            throw error
        } catch {
            return (RuntimeStateDocument(), [try setAside(path)])
        }
    }

    private static func setAside(_ path: String) throws(AgentRuntimeError) -> String {
        do throws(FileError) {
            let kept = try DamagedFile.setAside(path, now: .seconds(Int64(Date().timeIntervalSince1970)))
            return "The file of the threads was damaged; it is kept as \(kept), and a new one was begun."
        } catch {
            throw StatePreparation.failed(error)
        }
    }

    func summary() -> RuntimeStateSummary {
        var summary = document.summary
        summary.notices = notices
        notices = []
        return summary
    }

    func apply(_ changes: [RuntimeStateChange]) throws {
        var copy = document
        do {
            let gone = try copy.apply(try attachments.store(changes))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try AtomicFile.write([UInt8](encoder.encode(copy)), to: path)
            document = copy
            attachments.remove(gone)
        } catch let error as FileError {
            throw StatePreparation.failed(error)
        } catch {
            throw AgentRuntimeError.wrapping(error, as: .stateStoreFailed, "The threads cannot be written as JSON.")
        }
    }

    func history(of threadID: String, matching query: AgentHistoryQuery) -> [AgentHistoryRecord] {
        document.history(of: threadID, matching: query).map(attachments.load)
    }

    func turns(of threadID: String) -> [AgentTurn] { document.threads[threadID]?.turns ?? [] }

    func contextState(of threadID: String) -> AgentContextState? { document.threads[threadID]?.context }
}
