import JSON
import RelayProtocol

/// Something the server asks of its clients; the first answer of any of them counts.
public struct ServerRequest: Equatable, Sendable {
    /// A question to a person, with the answers it offers.
    public struct Question: Equatable, Sendable {
        public var id: String
        /// Labels of the offered answers, in their order.
        public var options: [String]
        /// The answer is a secret, which no key may choose.
        public var isSecret: Bool
    }

    public enum Kind: Equatable, Sendable {
        /// A command; `decisions` are those the server lists, `nil` when it lists none.
        case command(decisions: [String]?)
        case fileChange(decisions: [String]?)
        /// More rights for the turn; the answer is the part that is granted.
        case permissions(requested: JSONValue)
        case question([Question])
        /// A tool server asks; `needsForm` when it wants more than yes or no.
        case elicitation(needsForm: Bool)
        /// A kind of a later version: shown, never answered.
        case unknown(method: String)
    }

    public var id: RequestID
    public var kind: Kind
    public var thread: TaskIdentity?
    public var turnID: String?
    public var itemID: String?

    init(id: RequestID, method: String, params: JSONValue) {
        self.id = id
        thread = TaskIdentity(appServer: params["threadId"])
        turnID = params["turnId"]?.string
        itemID = params["itemId"]?.string
        kind =
            switch method {
            case "item/commandExecution/requestApproval": .command(decisions: Self.decisions(params))
            case "item/fileChange/requestApproval": .fileChange(decisions: Self.decisions(params))
            case "item/permissions/requestApproval": .permissions(requested: params["permissions"] ?? .object([:]))
            case "item/tool/requestUserInput": .question(Self.questions(params))
            case "mcpServer/elicitation/request": .elicitation(needsForm: Self.needsForm(params))
            default: .unknown(method: method)
            }
    }

    private static func decisions(_ params: JSONValue) -> [String]? {
        // A decision with a content is an object of one member; such a one is never chosen by a key.
        params["availableDecisions"]?.array.map { $0.compactMap(\.string) }
    }

    private static func questions(_ params: JSONValue) -> [Question] {
        var questions: [Question] = []
        for question in params["questions"]?.array ?? [] {
            // A part of the questions is not answered for the whole.
            guard let id = question["id"]?.string else { return [] }
            let options = (question["options"]?.array ?? []).compactMap { $0["label"]?.string }
            questions.append(Question(id: id, options: options, isSecret: question["isSecret"]?.bool ?? false))
        }
        return questions
    }

    private static func needsForm(_ params: JSONValue) -> Bool {
        // Other modes ask for a page in a browser or a proof of presence.
        if let mode = params["mode"]?.string, mode != "form" { return true }
        guard let schema = params["requestedSchema"] ?? params["request"]?["requestedSchema"], schema.object != nil else { return true }
        return !(schema["properties"]?.object ?? [:]).isEmpty
    }

    /// Whether approve and decline are answers to it.
    public var isApproval: Bool {
        switch kind {
        case .command, .fileChange, .permissions, .elicitation: true
        case .question, .unknown: false
        }
    }

    // MARK: Answers

    /// The answer that lets it happen; `nil` when no key may give one, because the server does not offer it or it needs a form.
    public var approval: JSONValue? {
        switch kind {
        case .command(let decisions), .fileChange(let decisions):
            guard decisions?.contains("accept") ?? true else { return nil }
            return ["decision": "accept"]
        case .permissions(let requested):
            // To grant nothing would be a refusal that calls itself an approval.
            guard let parts = requested.object, parts.contains(where: { !$0.value.isNull }) else { return nil }
            return ["permissions": requested, "scope": "turn"]
        case .elicitation(let needsForm): return needsForm ? nil : ["action": "accept", "content": .object([:])]
        case .question, .unknown: return nil
        }
    }

    /// The answer that refuses it and lets the turn go on.
    ///
    /// `decline` is right even where the server lists only `cancel`: every version takes it, and one that did not would count it as a refusal.
    public var refusal: JSONValue? {
        switch kind {
        case .command, .fileChange: ["decision": "decline"]
        case .permissions: ["permissions": .object([:]), "scope": "turn"]
        case .elicitation: ["action": "decline"]
        case .question, .unknown: nil
        }
    }

    /// The answer that takes the first option of each question; `nil` when one of them offers none or asks for a secret.
    public var firstOptions: JSONValue? {
        guard case .question(let questions) = kind, !questions.isEmpty else { return nil }
        var answers: [String: JSONValue] = [:]
        for question in questions {
            guard !question.isSecret, let option = question.options.first else { return nil }
            answers[question.id] = ["answers": [.string(option)]]
        }
        return ["answers": .object(answers)]
    }
}
