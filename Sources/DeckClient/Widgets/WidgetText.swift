import JSON
import RelayProtocol

/// Writes a face in the language of a bar. Titles come from other computers: whatever a bar would read as an instruction is escaped.
public enum WidgetText {
    /// - Returns: What to print, without the last line's end; one line in every format but i3blocks', which has three.
    public static func render(_ face: WidgetFace, _ widget: Widget, _ state: WidgetState?, as format: WidgetFormat) -> String {
        switch format {
        case .plain: plain(face.text)
        case .waybar: waybar(face)
        case .i3blocks: i3blocks(face)
        case .tmux: face.parts.map(tmux).joined()
        case .json: json(face, widget, state)
        }
    }

    /// Polybar and lemonbar read `%{…}` in what a command prints as instructions, clicks among them.
    private static func plain(_ text: String) -> String { text.replacing("%{", with: "% {") }

    /// What Waybar's `return-type: json` reads; its text is Pango markup.
    private static func waybar(_ face: WidgetFace) -> String {
        var members: [String: JSONValue] = [
            "text": .string(pango(face.text)), "alt": .string(face.short), "tooltip": .string(pango(face.details.joined(separator: "\n"))),
            "class": .array(face.classes.map { .string($0) }),
        ]
        if let percent = face.percent { members["percentage"] = .number(percent) }
        return String(decoding: JSONValue.object(members).encoded(), as: UTF8.self)
    }

    static func pango(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "'": result += "&#39;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    /// Full text, short text, colour.
    private static func i3blocks(_ face: WidgetFace) -> String { [face.text, face.short, face.tone.hexadecimal].joined(separator: "\n") }

    private static func tmux(_ part: WidgetFace.Part) -> String {
        // `#` begins an expansion or a style also in what a command printed.
        let text = part.text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: "##")
        return part.tone == .plain ? text : "#[fg=\(part.tone.tmux)]\(text)#[default]"
    }

    private static func json(_ face: WidgetFace, _ widget: Widget, _ state: WidgetState?) -> String {
        var members: [String: JSONValue] = [
            "text": .string(face.text), "short": .string(face.short), "details": .array(face.details.map { .string($0) }),
            "classes": .array(face.classes.map { .string($0) }), "percent": face.percent.map { .number($0) } ?? .null,
            "writtenAt": .time(state?.writtenAt),
        ]
        switch widget {
        case .capacity:
            members["fiveHour"] = state?.fiveHour?.json ?? .null
            members["weekly"] = state?.weekly?.json ?? .null
        case .agent: members["task"] = state?.current?.json ?? .null
        case .board(let count):
            members["tasks"] = .array((state?.slots ?? []).prefix(count == 3 ? 3 : Snapshot.slotCount).map { $0?.json ?? .null })
        case .command(let keycap, _): members["keys"] = [.string(keycap.rawValue)]
        case .deck(let keycaps, _): members["keys"] = .array(keycaps.map { .string($0.rawValue) })
        case .follow: members["task"] = state?.follow?.json ?? .null
        }
        return String(decoding: JSONValue.object(members).encoded(), as: UTF8.self)
    }
}

extension WidgetFace.Tone {
    /// Readable on dark and on light bars.
    fileprivate var hexadecimal: String {
        switch self {
        case .plain: ""
        case .quiet: "#888888"
        case .working: "#3B8EEA"
        case .finished: "#23A55A"
        case .waiting, .warning: "#E0862A"
        case .failed: "#E05555"
        }
    }

    fileprivate var tmux: String {
        switch self {
        case .plain: "default"
        case .quiet: "colour245"
        case .working: "colour33"
        case .finished: "colour35"
        case .waiting, .warning: "colour208"
        case .failed: "colour203"
        }
    }
}
