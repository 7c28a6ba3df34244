import JSON
import RelayProtocol

/// The names users gave to sessions, from `session_index.jsonl`; the last line of a session wins.
struct SessionNames {
    private(set) var names: [TaskIdentity: String] = [:]
    private var splitter = LineSplitter(maximumLength: maximumLine)
    private var status: FileStatus?

    private static let maximumLine = 65_536
    private static let skimmer = JSONSkimmer([["id"], ["thread_name"]])

    /// Reads what was appended; all of it again when the file was replaced or cut off.
    ///
    /// - Returns: The sessions whose name may have changed.
    mutating func update(_ path: String) throws(FileFailure) -> Set<TaskIdentity> {
        let file = try OpenFile(path)
        let now = try file.status()
        var changed: Set<TaskIdentity> = []
        if let status, status.inode != now.inode || status.device != now.device || now.size < splitter.offset {
            changed = Set(names.keys)
            names = [:]
            splitter = LineSplitter(maximumLength: Self.maximumLine)
        }
        status = now
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let chunk = try file.read(at: splitter.offset, into: buffer)
            take(chunk, &changed)
            if chunk.count < buffer.count { return changed }
        }
    }

    private mutating func take(_ chunk: UnsafeRawBufferPointer, _ changed: inout Set<TaskIdentity>) {
        var names: [TaskIdentity: String] = [:]
        swap(&names, &self.names)
        splitter.feed(chunk) { line, _ in
            guard let fields = try? Self.skimmer.fields(of: line), let identity = fields[0]?.string.flatMap({ TaskIdentity($0) }),
                let name = fields[1]?.string.flatMap(Self.clean)
            else { return }
            names[identity] = name
            changed.insert(identity)
        }
        swap(&names, &self.names)
    }

    /// One line, without control characters, at most 240 characters; `nil` when nothing is left.
    static func clean(_ name: String) -> String? {
        let spaced = String(String.UnicodeScalarView(name.unicodeScalars.prefix(4096).map { Preview.isControl($0) ? " " : $0 }))
        let text = spaced.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(240)
        return text.isEmpty ? nil : String(text)
    }
}
