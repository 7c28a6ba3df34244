import CodexKit
import JSON

/// A call and its result in one line each.
enum ToolSummary {
    static func line(_ call: ToolInvocation) -> String {
        if call.toolName == HostTools.commandName {
            do throws(CommandCall.Malformed) { return try CommandCall(call.arguments).summary } catch { return "a call that cannot be run" }
        }
        if let path = call.arguments["path"]?.string { return VisibleText.line(path, limit: 200) }
        return call.arguments.object?.isEmpty == true ? "" : VisibleText.line(String(decoding: call.arguments.encoded(), as: UTF8.self), limit: 200)
    }

    static func line(_ result: ToolResultEnvelope) -> String {
        let text = result.errorMessage ?? result.primaryText ?? ""
        let first = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
        return VisibleText.line(String(first), limit: 200)
    }
}
