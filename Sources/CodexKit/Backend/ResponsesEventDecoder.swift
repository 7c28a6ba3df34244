import FoundationEssentials
import JSON
import ServerSentEvents

/// Turns events of the Responses interface into those of a backend. Events and members that it does not know are skipped: the
/// interface grows.
struct ResponsesEventDecoder: Sendable {
    /// Whether the answer has ended; nothing after it counts.
    private(set) var isFinished = false
    private var id = ""
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// - Throws: ``AgentRuntimeError`` when the event says that the answer has failed, or is no JSON.
    mutating func decode(_ event: ServerSentEvent) throws(AgentRuntimeError) -> [AgentBackendEvent] {
        // Some servers end with this word in place of an object.
        guard !isFinished, event.data != Array("[DONE]".utf8), !event.data.isEmpty else { return [] }
        guard let json = Self.parse(event), json.object != nil else {
            throw AgentRuntimeError(code: .invalidResponse, message: "The server sent an event that is no JSON object; try again.")
        }
        let type = json["type"]?.string ?? event.type
        switch type {
        case "response.created": return started(json["response"])
        case "response.output_text.delta": return Self.delta(json).map { [.textDelta(itemID: $0.id, delta: $0.text)] } ?? []
        case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
            return Self.delta(json).map { [.reasoningDelta(itemID: $0.id, delta: $0.text)] } ?? []
        case "response.reasoning_summary_part.added":
            // Parts of a summary are paragraphs.
            guard let index = json["summary_index"]?.int, index > 0 else { return [] }
            return [.reasoningDelta(itemID: json["item_id"]?.string ?? "", delta: "\n\n")]
        case "response.output_item.added": return Self.begun(json["item"])
        case "response.output_item.done": return json["item"].map(Self.item) ?? []
        case "response.completed", "response.done": return finished(json["response"])
        case "response.incomplete": throw ResponsesFailure.incomplete(json["response"]?["incomplete_details"]?["reason"]?.string)
        case "response.failed": throw ResponsesFailure.from(json["response"]?["error"], now: now())
        case "response.cancelled":
            throw AgentRuntimeError(code: .streamInterrupted, message: "The server ended the answer before it was complete; try again.")
        case "error": throw ResponsesFailure.from(json["error"] ?? json, now: now())
        default: return []
        }
    }

    /// The standard wants broken UTF-8 repaired, which the parser would refuse.
    private static func parse(_ event: ServerSentEvent) -> JSONValue? {
        let parser = JSONParser(maximumDepth: 128, duplicateKeys: .lastWins)
        if let value = try? parser.parse(event.data) { return value }
        return try? parser.parse(Array(event.text.utf8))
    }

    private mutating func started(_ response: JSONValue?) -> [AgentBackendEvent] {
        id = response?["id"]?.string ?? ""
        return [.started(id: id, model: response?["model"]?.string)]
    }

    private mutating func finished(_ response: JSONValue?) -> [AgentBackendEvent] {
        isFinished = true
        return [.completed(AgentBackendCompletion(responseID: response?["id"]?.string ?? id, usage: Self.usage(response?["usage"])))]
    }

    private static func delta(_ json: JSONValue) -> (id: String, text: String)? {
        guard let text = json["delta"]?.string, !text.isEmpty else { return nil }
        return (json["item_id"]?.string ?? "", text)
    }

    static func usage(_ json: JSONValue?) -> AgentUsage? {
        func count(_ value: JSONValue?) -> Int? { value?.int.flatMap { $0 >= 0 ? Int($0) : nil } }
        guard let json, let input = count(json["input_tokens"]), let output = count(json["output_tokens"]) else { return nil }
        return AgentUsage(
            inputTokens: input, cachedInputTokens: count(json["input_tokens_details"]?["cached_tokens"]) ?? 0, outputTokens: output,
            reasoningOutputTokens: count(json["output_tokens_details"]?["reasoning_tokens"]) ?? 0, totalTokens: count(json["total_tokens"]))
    }
}

// MARK: Items

extension ResponsesEventDecoder {
    private static func begun(_ item: JSONValue?) -> [AgentBackendEvent] {
        guard let item, item["type"]?.string == "web_search_call" else { return [] }
        return [.webSearch(AgentWebSearch(id: item["id"]?.string ?? "", status: .searching, query: query(item)))]
    }

    private static func item(_ item: JSONValue) -> [AgentBackendEvent] {
        let id = item["id"]?.string ?? ""
        switch item["type"]?.string {
        case "message": return message(item, id)
        case "function_call":
            guard let name = item["name"]?.string, let call = item["call_id"]?.string else { return [] }
            return [.functionCall(AgentFunctionCall(callID: call, name: name, arguments: item["arguments"]?.string ?? "{}"))]
        case "reasoning":
            let summary = (item["summary"]?.array ?? []).compactMap { $0["text"]?.string }.joined(separator: "\n\n")
            return [.reasoning(summary: summary, item: item)]
        case "web_search_call":
            let status: AgentWebSearch.Status = item["status"]?.string == "failed" ? .failed : .completed
            return [.webSearch(AgentWebSearch(id: id, status: status, query: query(item)))]
        case "image_generation_call":
            guard let text = item["result"]?.string, let data = Data(base64Encoded: text), !data.isEmpty else { return [] }
            let image = AgentGeneratedImage(
                id: id, data: data, mimeType: mimeType(of: data), revisedPrompt: item["revised_prompt"]?.string)
            return [.image(image)]
        default: return []
        }
    }

    private static func message(_ item: JSONValue, _ id: String) -> [AgentBackendEvent] {
        guard item["role"]?.string ?? "assistant" == "assistant" else { return [] }
        var message = AgentBackendMessage(id: id, text: "")
        for part in item["content"]?.array ?? [] {
            switch part["type"]?.string {
            case "output_text", "text": message.text += part["text"]?.string ?? ""
            case "refusal": message.refusal = (message.refusal ?? "") + (part["refusal"]?.string ?? "")
            case "output_image", "input_image":
                let address = part["image_url"]?.string ?? part["image_url"]?["url"]?.string
                if let address, let url = URL(string: address) { message.imageURLs.append(url) }
            default: break
            }
        }
        return [.message(message)]
    }

    private static func query(_ item: JSONValue) -> String? { item["action"]?["query"]?.string ?? item["query"]?.string }

    private static func mimeType(of data: Data) -> String {
        let start = [UInt8](data.prefix(12))
        if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if start.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if start.starts(with: Array("RIFF".utf8)), start.suffix(4) == Array("WEBP".utf8)[...] { return "image/webp" }
        return "image/png"
    }
}
