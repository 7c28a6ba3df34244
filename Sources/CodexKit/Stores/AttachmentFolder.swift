import Files
import FoundationEssentials
import Glibc

/// The pictures of a state, each a file of its own, beside the file that tells of them.
///
/// A file is on the disk before anything names it, and named by nothing when it is removed: whatever a crash cuts off, every name
/// has its file, and files without a name go at the next opening.
struct AttachmentFolder: Sendable {
    let path: String
    /// The largest picture that is read back.
    private static let limit = 256 << 20

    /// Writes the pictures of new records and returns the changes without their bytes.
    func store(_ changes: [RuntimeStateChange]) throws(FileError) -> [RuntimeStateChange] {
        var result: [RuntimeStateChange] = []
        for change in changes {
            guard case .append(var records) = change else {
                result.append(change)
                continue
            }
            for index in records.indices { records[index] = try store(records[index]) }
            result.append(.append(records))
        }
        return result
    }

    private func store(_ record: AgentHistoryRecord) throws(FileError) -> AgentHistoryRecord {
        guard let message = record.item.message, !message.images.isEmpty else { return record }
        try PrivateDirectory.ensure(path)
        var images: [AgentImageAttachment] = []
        for (index, image) in message.images.enumerated() {
            try AtomicFile.write([UInt8](image.data), to: path + "/" + Self.name(of: record.id, index))
            images.append(AgentImageAttachment(id: image.id, mimeType: image.mimeType, data: Data()))
        }
        var record = record
        record.item = .message(message.with(images: images))
        return record
    }

    /// Reads the pictures back. One that is missing or unreadable stays empty: the rest of the thread is worth having.
    func load(_ record: AgentHistoryRecord) -> AgentHistoryRecord {
        guard let message = record.item.message, !message.images.isEmpty else { return record }
        let images = message.images.enumerated().map { index, image in
            do throws(FileError) {
                let bytes = try File.read(path + "/" + Self.name(of: record.id, index), limit: Self.limit, followingLink: false)
                return AgentImageAttachment(id: image.id, mimeType: image.mimeType, data: Data(bytes))
            } catch {
                return image
            }
        }
        var record = record
        record.item = .message(message.with(images: images))
        return record
    }

    /// Removes the files of records that are gone. What cannot be removed is tried again at the next opening.
    func remove(_ records: [AgentHistoryRecord]) {
        for name in Self.names(of: records) { unlink(path + "/" + name) }
    }

    /// Removes what no record names.
    func removeAll(except names: Set<String>) {
        guard let stream = opendir(path) else { return }
        defer { closedir(stream) }
        var unnamed: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != "..", !names.contains(name) { unnamed.append(name) }
        }
        for name in unnamed { unlink(path + "/" + name) }
    }

    static func names(of records: some Sequence<AgentHistoryRecord>) -> [String] {
        records.flatMap { record in
            (0..<(record.item.message?.images.count ?? 0)).map { name(of: record.id, $0) }
        }
    }

    /// Ids may come from elsewhere, and must not lead out of the folder.
    static func name(of recordID: String, _ index: Int) -> String {
        let isPlain = (1...100).contains(recordID.utf8.count) && recordID.utf8.allSatisfy { $0 == UInt8(ascii: "-") || isAlphanumeric($0) }
        if isPlain { return "\(recordID).\(index)" }
        let hex = recordID.utf8.prefix(100).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "_\(hex).\(index)"
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
