import FoundationEssentials
import HTTP
import JSON

/// A question in the form of the Responses interface.
struct ResponsesRequest: Sendable {
    let request: AgentBackendRequest
    let configuration: CodexResponsesBackendConfiguration

    var model: String { request.model ?? configuration.model }

    // MARK: Body

    func body() -> [UInt8] {
        let tools = tools()
        var writer = JSONWriter(capacity: 4096)
        writer.object { writer in
            writer.member("model", model)
            writer.member("instructions", request.instructions)
            writer.member("input", array: { list in for item in request.input { list.value(Self.json(item)) } })
            writer.member("tools", array: { list in for tool in tools { list.value(tool) } })
            writer.key("tool_choice")
            writer.value(toolChoice)
            writer.member("parallel_tool_calls", true)
            writer.member("reasoning", object: { reasoning in
                reasoning.member("effort", (request.reasoningEffort ?? configuration.reasoningEffort).rawValue)
                reasoning.member("summary", "auto")
            })
            writer.member("text", object: { text in
                text.key("format")
                text.value(format)
            })
            writer.member("store", false)
            writer.member("stream", true)
            // Nothing is stored, so what the model thought between two tool calls comes back encrypted.
            writer.member("include", array: { $0.string("reasoning.encrypted_content") })
            writer.member("prompt_cache_key", request.threadID)
        }
        return writer.bytes
    }

    private var format: JSONValue {
        guard let format = request.responseFormat else { return ["type": "text"] }
        var members: [String: JSONValue] = [
            "type": "json_schema", "name": .string(format.name), "schema": format.schema, "strict": .bool(format.strict),
        ]
        if let description = format.description { members["description"] = .string(description) }
        return .object(members)
    }

    private var toolChoice: JSONValue {
        switch request.toolChoice {
        case .automatic: "auto"
        case .none: "none"
        case .required: "required"
        case .tool(let name): ["type": "function", "name": .string(name)]
        }
    }

    private func tools() -> [JSONValue] {
        var tools: [JSONValue] = request.tools.map { tool in
            [
                "type": "function", "name": .string(tool.name), "description": .string(tool.description), "strict": false,
                "parameters": tool.inputSchema,
            ]
        }
        if request.enableWebSearch ?? configuration.enableWebSearch { tools.append(["type": "web_search"]) }
        if request.enableImageGeneration ?? configuration.enableImageGeneration {
            tools.append(["type": "image_generation", "output_format": "png"])
        }
        return tools
    }

    private static func json(_ item: AgentInputItem) -> JSONValue {
        switch item {
        case .message(let role, let parts):
            let textType: JSONValue = role == .assistant ? "output_text" : "input_text"
            return [
                "type": "message", "role": .string(role.rawValue),
                "content": .array(
                    parts.map { part in
                        switch part {
                        case .text(let text): ["type": textType, "text": .string(text)]
                        case .image(let data, let mimeType): image("data:\(mimeType);base64,\(data.base64EncodedString())")
                        case .imageURL(let url): image(url.absoluteString)
                        }
                    }),
            ]
        case .functionCall(let id, let name, let arguments):
            return ["type": "function_call", "call_id": .string(id), "name": .string(name), "arguments": .string(arguments)]
        case .functionCallOutput(let id, let output):
            return ["type": "function_call_output", "call_id": .string(id), "output": json(output)]
        case .opaque(let value): return value
        }
    }

    /// Text alone is sent as text, which all models read.
    private static func json(_ output: [ToolResultContent]) -> JSONValue {
        let texts = output.compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard texts.count != output.count else { return .string(texts.joined(separator: "\n")) }
        return .array(
            output.map { content in
                switch content {
                case .text(let text): ["type": "input_text", "text": .string(text)]
                case .image(let url): image(url.absoluteString)
                }
            })
    }

    private static func image(_ url: String) -> JSONValue { ["type": "input_image", "image_url": .string(url)] }

    // MARK: Head

    func http(body: [UInt8], session: ChatGPTSession) -> HTTPRequest {
        let reserved = ["authorization", "chatgpt-account-id", "cookie", "host", "content-length", "content-type", "transfer-encoding"]
        var fields = [
            HTTPField("Authorization", "Bearer " + session.accessToken), HTTPField("ChatGPT-Account-ID", session.account.id),
            HTTPField("session_id", request.threadID), HTTPField("originator", configuration.originator),
            HTTPField("Accept", "text/event-stream"), HTTPField("Content-Type", "application/json"),
        ]
        fields += configuration.extraHeaders.sorted { $0.key < $1.key }.filter { !reserved.contains($0.key.lowercased()) }
            .map { HTTPField($0.key, $0.value) }
        var base = configuration.baseURL.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        var http = HTTPRequest("POST", base + "/responses", fields: fields, body: body)
        http.idleTimeout = .milliseconds(Int64(configuration.streamIdleTimeout * 1000))
        http.maximumBodyLength = Self.longestAnswer
        return http
    }

    /// Of one answer, pictures and all; what protects the reader is that it reads as it goes.
    private static let longestAnswer = 1 << 30
}
