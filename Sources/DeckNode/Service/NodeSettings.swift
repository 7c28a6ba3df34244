import Files
import JSON

/// What the owner set in `$XDG_CONFIG_HOME/codex-deck/node.json`. A missing file means the defaults.
public struct NodeSettings: Hashable, Sendable {
    /// Whether the wire carries the titles of tasks or `Codex task <first 8 of the id>` only.
    public enum Titles: String, Sendable, CaseIterable { case shown, hidden }

    public var titles = Titles.shown
    /// Where Codex keeps its sessions; `nil` takes `$CODEX_HOME`, else `~/.codex`.
    public var codexHome: String?

    public init() {}

    /// Reads the settings.
    ///
    /// - Throws: ``NodeSettingsError`` when the file is there and cannot be used; it is left as it is, for the owner wrote it.
    public init(path: String) throws(NodeSettingsError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(path, limit: 65_536)
        } catch {
            if case .missing = error { return }
            throw NodeSettingsError(description: "The settings cannot be read: \(error)")
        }
        let value: JSONValue
        do { value = try JSONParser().parse(bytes) } catch {
            throw NodeSettingsError(description: "\(path) is not valid JSON; mend or remove it.")
        }
        guard let fields = value.object else { throw NodeSettingsError(description: "\(path) must hold a JSON object.") }
        for (key, item) in fields {
            switch key {
            case "titles":
                guard let text = item.string, let titles = Titles(rawValue: text) else {
                    throw NodeSettingsError(description: "\(path): \"titles\" must be \"shown\" or \"hidden\".")
                }
                self.titles = titles
            case "codexHome":
                guard let text = item.string, text.hasPrefix("/") else {
                    throw NodeSettingsError(description: "\(path): \"codexHome\" must be an absolute path.")
                }
                codexHome = text
            default: throw NodeSettingsError(description: "\(path): the setting \"\(DisplaySafe.word(key))\" is not known.")
            }
        }
    }
}

/// Settings that cannot be used; one sentence.
public struct NodeSettingsError: Error, CustomStringConvertible {
    public let description: String
}
