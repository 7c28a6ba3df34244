import Files
import Glibc
import JSON

/// The file of the settings, for reading and for changing one of them.
public struct SettingsFile: Sendable {
    static let maximumBytes = 65_536
    public let path: String

    public init(path: String) { self.path = path }

    /// The settings in the file.
    ///
    /// What is no setting is listed in ``NodeSettings/unknownKeys``, and ``remark(on:)`` says so.
    /// - Throws: ``NodeSettingsError`` when it cannot be read or holds a value that its setting cannot have.
    public func load() throws(NodeSettingsError) -> NodeSettings { try settings(read()) }

    /// The value that the file holds for a setting; `nil` when it holds none.
    public func value(of setting: Setting) throws(NodeSettingsError) -> JSONValue? { Self.find(setting.path[...], in: .object(try read())) }

    /// Writes a value, or takes it out of the file; everything else in the file stays.
    ///
    /// The result is checked before it is written, so that a bad value leaves the file as it was.
    /// - Returns: Whether anything changed.
    @discardableResult
    public func set(_ setting: Setting, to value: JSONValue?) throws(NodeSettingsError) -> Bool {
        if let value { try check(value, for: setting) }
        let old = try read()
        let new = try replaced(in: old, setting.path[...], value)
        guard new != old else { return false }
        _ = try settings(new)
        let bytes = Self.encoded(new)
        guard bytes.count <= Self.maximumBytes else { throw NodeSettingsError("\(path) would be larger than \(Self.maximumBytes) bytes.") }
        do throws(FileError) {
            try PrivateDirectory.ensure(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
            try AtomicFile.write(bytes, to: target)
        } catch {
            throw NodeSettingsError("The settings cannot be written: \(error)")
        }
        return true
    }

    /// Where the file really is: owners keep their settings elsewhere and link to them, and the link is to stay.
    private var target: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func check(_ value: JSONValue, for setting: Setting) throws(NodeSettingsError) {
        guard setting.kind.accepts(value) else { throw NodeSettingsError("\(path): \"\(setting.key)\" \(setting.kind.requirement).") }
    }

    // MARK: Reading

    private func read() throws(NodeSettingsError) -> [String: JSONValue] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(path, limit: Self.maximumBytes)
        } catch {
            if case .missing = error { return [:] }
            throw NodeSettingsError("The settings cannot be read: \(error)")
        }
        guard let value = try? JSONParser().parse(bytes) else { throw NodeSettingsError("\(path) is not valid JSON; mend or remove it.") }
        guard let fields = value.object else { throw NodeSettingsError("\(path) must hold a JSON object.") }
        return fields
    }

    private func settings(_ fields: [String: JSONValue]) throws(NodeSettingsError) -> NodeSettings {
        var result = NodeSettings()
        var unknown: [String] = []
        for (key, value) in try leaves(fields, below: [], &unknown).sorted(by: { $0.key < $1.key }) {
            guard let setting = SettingTable.row(key) else {
                unknown.append(key)
                continue
            }
            try check(value, for: setting)
            setting.store(&result, value)
        }
        result.unknownKeys = unknown.sorted()
        return result
    }

    /// Every value by its dotted key; objects are walked into only where settings lie below them.
    private func leaves(
        _ fields: [String: JSONValue], below parents: [String], _ unknown: inout [String]
    ) throws(NodeSettingsError) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        for (name, value) in fields {
            // A dot in a name would pass for an object in an object.
            let path = parents + [name], key = path.joined(separator: ".")
            guard !name.contains(".") else {
                unknown.append(key)
                continue
            }
            guard SettingTable.rows.contains(where: { $0.path.count > path.count && $0.path.starts(with: path) }) else {
                result[key] = value
                continue
            }
            guard let inner = value.object else { throw notAnObject(key) }
            result.merge(try leaves(inner, below: path, &unknown)) { first, _ in first }
        }
        return result
    }

    /// One sentence about what is no setting and therefore without effect; `nil` when there is nothing of that kind.
    public func remark(on settings: NodeSettings) -> String? {
        let keys = settings.unknownKeys
        guard let first = keys.first else { return nil }
        if let dotted = keys.first(where: { SettingTable.row($0) != nil }) {
            return "\(path): \"\(dotted)\" is ignored, as it has a dot in its name; write {\"codex\": {\"home\": …}} for \"codex.home\"."
        }
        let more = keys.count == 1 ? "is" : "and \(keys.count - 1) more are"
        return "\(path): \"\(DisplaySafe.word(first))\" \(more) not known and ignored; `decknode config` lists the settings."
    }

    private func notAnObject(_ key: String) -> NodeSettingsError { NodeSettingsError("\(path): \"\(DisplaySafe.word(key))\" must be a JSON object.") }

    // MARK: Changing

    private static func find(_ names: ArraySlice<String>, in value: JSONValue) -> JSONValue? {
        guard let name = names.first else { return value }
        return value[name].flatMap { find(names.dropFirst(), in: $0) }
    }

    /// The fields with the value put in or taken out; an object that this empties goes too.
    private func replaced(
        in fields: [String: JSONValue], _ names: ArraySlice<String>, _ value: JSONValue?
    ) throws(NodeSettingsError) -> [String: JSONValue] {
        guard let name = names.first else { return fields }
        var fields = fields
        if names.count == 1 {
            fields[name] = value
            return fields
        }
        if let inner = fields[name], inner.object == nil { throw notAnObject(name) }
        let inner = try replaced(in: fields[name]?.object ?? [:], names.dropFirst(), value)
        fields[name] = inner.isEmpty ? nil : .object(inner)
        return fields
    }

    /// JSON that a person reads: a line for each member, keys in order.
    private static func encoded(_ fields: [String: JSONValue]) -> [UInt8] { Array((text(.object(fields), indent: "") + "\n").utf8) }

    private static func text(_ value: JSONValue, indent: String) -> String {
        guard let fields = value.object, !fields.isEmpty else { return String(decoding: value.encoded(), as: UTF8.self) }
        let inner = indent + "  "
        let lines = fields.sorted { $0.key < $1.key }.map { key, value in
            inner + String(decoding: JSONValue.string(key).encoded(), as: UTF8.self) + ": " + text(value, indent: inner)
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
    }
}
