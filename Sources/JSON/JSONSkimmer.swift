/// Reads a few members of a large JSON object without building the rest.
///
/// Everything outside the paths is skipped by finding its end, not validated, and reading stops once every path was seen: use it to
/// decide what a line is, and ``JSONParser`` for what then counts. The first of repeated keys is taken. A path through something that
/// is no object finds nothing.
///
///     let skimmer = JSONSkimmer([["type"], ["payload", "type"]])
///     let found = try skimmer.fields(of: line)   // one `JSONValue?` for each path
public struct JSONSkimmer: Sendable {
    /// Paths that begin with the same key, joined.
    private struct Node: Sendable {
        var key: [UInt8]
        /// Index of the path that ends here.
        var path: Int?
        private(set) var children: [Node] = []
        /// Those of the children, by themselves: they are compared with every key of every line.
        private(set) var keys: [[UInt8]] = []

        mutating func insert(_ keys: ArraySlice<String>, path: Int) {
            guard let first = keys.first else {
                self.path = path
                return
            }
            let bytes = Array(first.utf8)
            let index = children.firstIndex { $0.key == bytes } ?? children.count
            if index == children.count {
                children.append(Node(key: bytes))
                self.keys.append(bytes)
            }
            children[index].insert(keys.dropFirst(), path: path)
        }
    }

    private struct Search {
        var reader: JSONReader
        var ranges: [Range<Int>?]
        var missing: Int
    }

    private let root: Node
    private let pathCount: Int
    /// Places in the tree where a path ends.
    private let endCount: Int
    private let maximumDepth: Int

    /// - Parameters:
    ///   - paths: Keys from the outermost object inwards, at most `maximumDepth` in each; of equal paths only the last is filled.
    ///   - maximumDepth: Containers inside each other in the values that are returned, 1 … 512. Skipped ones may be deeper.
    public init(_ paths: [[String]], maximumDepth: Int = 64) {
        self.maximumDepth = min(max(maximumDepth, 1), 512)
        var root = Node(key: [])
        for (index, path) in paths.enumerated() where !path.isEmpty && path.count <= self.maximumDepth { root.insert(path[...], path: index) }
        self.root = root
        endCount = Self.ends(root)
        pathCount = paths.count
    }

    /// Where the values stand, in the order of the paths; `nil` for one that is missing.
    ///
    /// - Parameter isPrefix: The bytes are only the beginning of the text; what lies completely in them is returned.
    /// - Throws: ``JSONError`` when the part that had to be read is not the beginning of an object.
    public func ranges(of bytes: UnsafeRawBufferPointer, isPrefix: Bool = false) throws(JSONError) -> [Range<Int>?] {
        var search = Search(
            reader: JSONReader(bytes, maximumDepth: maximumDepth, rejectsDuplicates: false),
            ranges: Array(repeating: nil, count: pathCount), missing: endCount)
        do throws(JSONError) {
            guard try search.reader.peek() == UInt8(ascii: "{") else { throw search.reader.failure(.unexpectedByte) }
            try Self.object(root, &search)
        } catch {
            guard isPrefix, error.reason == .unexpectedEnd else { throw error }
        }
        return search.ranges
    }

    /// The values, in the order of the paths; `nil` for one that is missing. See ``ranges(of:isPrefix:)``.
    ///
    /// - Throws: Also when one of the values is not acceptable JSON; the offset then counts from its own start.
    public func fields(of bytes: UnsafeRawBufferPointer, isPrefix: Bool = false) throws(JSONError) -> [JSONValue?] {
        let parser = JSONParser(maximumDepth: maximumDepth, duplicateKeys: .lastWins)
        var values: [JSONValue?] = []
        for range in try ranges(of: bytes, isPrefix: isPrefix) {
            guard let range else {
                values.append(nil)
                continue
            }
            values.append(try parser.parse(UnsafeRawBufferPointer(rebasing: bytes[range])))
        }
        return values
    }

    /// See ``fields(of:isPrefix:)-(UnsafeRawBufferPointer,_)``.
    public func fields(of bytes: [UInt8], isPrefix: Bool = false) throws(JSONError) -> [JSONValue?] {
        try bytes.withUnsafeBytes { bytes in Result { () throws(JSONError) in try fields(of: bytes, isPrefix: isPrefix) } }.get()
    }

    /// See ``fields(of:isPrefix:)-(UnsafeRawBufferPointer,_)``.
    public func fields(of bytes: ArraySlice<UInt8>, isPrefix: Bool = false) throws(JSONError) -> [JSONValue?] {
        try bytes.withUnsafeBytes { bytes in Result { () throws(JSONError) in try fields(of: bytes, isPrefix: isPrefix) } }.get()
    }

    private static func ends(_ node: Node) -> Int {
        node.children.reduce(node.path == nil ? 0 : 1) { $0 + ends($1) }
    }

    /// Reads the object whose brace is next; may return early, inside it, when nothing is missing any more.
    private static func object(_ node: Node, _ search: inout Search) throws(JSONError) {
        search.reader.position += 1
        if try search.reader.peek() == UInt8(ascii: "}") {
            search.reader.position += 1
            return
        }
        repeat {
            let child = try search.reader.child(of: node.keys).map { node.children[$0] }
            try search.reader.expect(UInt8(ascii: ":"))
            let byte = try search.reader.peek()
            let start = search.reader.position
            if let child, !child.children.isEmpty, byte == UInt8(ascii: "{") {
                try object(child, &search)
                if search.missing == 0 { return }
            } else {
                try search.reader.skipValue()
            }
            if let path = child?.path, search.ranges[path] == nil {
                search.ranges[path] = start..<search.reader.position
                search.missing -= 1
                if search.missing == 0 { return }
            }
        } while try search.reader.comma(or: UInt8(ascii: "}"))
    }
}
