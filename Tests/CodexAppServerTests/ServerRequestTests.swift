import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer

struct ServerRequestTests {
    private func request(_ method: String, _ params: String) -> ServerRequest { ServerRequest(id: .integer(0), method: method, params: json(params)) }

    /// As version 0.163.0 sends it.
    private let command = #"""
        {"kind":"command","threadId":"01a22b92-b616-7573-b811-110cc6dce3bd","turnId":"turn","itemId":"call_94","startedAtMs":1796027365061,
        "environmentId":"local","reason":"for the test","command":"/bin/bash -lc 'touch /tmp/zz'","cwd":"/w",
        "commandActions":[{"type":"unknown","command":"touch /tmp/zz"}],"proposedExecpolicyAmendment":["touch","/tmp/zz"],
        "availableDecisions":["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","/tmp/zz"]}},"cancel"]}
        """#

    @Test func aCommand() {
        let asked = request("item/commandExecution/requestApproval", command)
        #expect(asked.id == .integer(0) && asked.thread == thread && asked.turnID == "turn" && asked.itemID == "call_94")
        #expect(asked.kind == .command(decisions: ["accept", "cancel"]) && asked.isApproval)
        #expect(asked.approval == ["decision": "accept"])
        #expect(asked.refusal == ["decision": "decline"])
        #expect(asked.firstOptions == nil)
    }

    @Test(arguments: [
        (#"{}"#, true), (#"{"availableDecisions":null}"#, true), (#"{"availableDecisions":["accept"]}"#, true),
        (#"{"availableDecisions":[]}"#, false),
        (#"{"availableDecisions":["acceptForSession","cancel"]}"#, false), (#"{"availableDecisions":[{"accept":{}}]}"#, false),
    ]) func onlyWhatIsListedIsAccepted(params: String, mayAccept: Bool) {
        for method in ["item/commandExecution/requestApproval", "item/fileChange/requestApproval"] {
            let asked = request(method, params)
            #expect(asked.approval == (mayAccept ? ["decision": "accept"] : nil))
            #expect(asked.refusal == ["decision": "decline"])
        }
    }

    @Test func aFileChange() {
        let asked = request(
            "item/fileChange/requestApproval",
            #"{"threadId":"\#(thread.uuid)","turnId":"t","itemId":"i","startedAtMs":1,"reason":null,"grantRoot":null}"#)
        #expect(asked.kind == .fileChange(decisions: nil) && asked.isApproval)
        #expect(asked.approval == ["decision": "accept"] && asked.refusal == ["decision": "decline"])
    }

    @Test func permissionsAreGrantedAsAskedFor() {
        let asked = request(
            "item/permissions/requestApproval",
            #"{"threadId":"\#(thread.uuid)","cwd":"/w","reason":"net","permissions":{"network":{"enabled":true},"fileSystem":null}}"#
        )
        #expect(asked.isApproval)
        #expect(asked.approval == ["permissions": ["network": ["enabled": true], "fileSystem": nil], "scope": "turn"])
        #expect(asked.refusal == ["permissions": .object([:]), "scope": "turn"])
    }

    /// To grant nothing would be a refusal that calls itself an approval.
    @Test(arguments: [
        "{}", #"{"permissions":null}"#, #"{"permissions":{}}"#, #"{"permissions":{"network":null}}"#, #"{"permissions":["all"]}"#,
        #"{"permissions":"all"}"#,
    ])
    func permissionsThatAskForNothingAreNotGranted(params: String) {
        let asked = request("item/permissions/requestApproval", params)
        #expect(asked.approval == nil)
        #expect(asked.refusal != nil)
    }

    @Test func aQuestion() {
        let asked = request(
            "item/tool/requestUserInput",
            #"""
            {"threadId":"\#(thread.uuid)","turnId":"t","itemId":"i",
            "questions":[{"id":"q","header":"H","question":"Which?","isOther":true,"isSecret":false,
            "options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]},{"id":"r","options":[{"label":"C"}]}],
            "isBlocking":true,"autoResolutionMs":null}
            """#)
        #expect(asked.kind == .question([.init(id: "q", options: ["A", "B"], isSecret: false), .init(id: "r", options: ["C"], isSecret: false)]))
        #expect(!asked.isApproval && asked.approval == nil && asked.refusal == nil)
        #expect(asked.firstOptions == ["answers": ["q": ["answers": ["A"]], "r": ["answers": ["C"]]]])
    }

    @Test(arguments: [
        "{}", #"{"questions":null}"#, #"{"questions":[]}"#, #"{"questions":[{"id":"q"}]}"#, #"{"questions":[{"id":"q","options":null}]}"#,
        #"{"questions":[{"id":"q","options":[]}]}"#, #"{"questions":[{"id":"q","options":[{"description":"a"}]}]}"#,
        // One that cannot be answered leaves all unanswered: a part is not taken for the whole.
        #"{"questions":[{"id":"q","options":[{"label":"A"}]},{"id":"r","options":[]}]}"#,
        #"{"questions":[{"id":"q","options":[{"label":"A"}]},{"options":[{"label":"A"}]}]}"#,
        #"{"questions":[{"id":"q","options":[{"label":"A"}],"isSecret":true}]}"#,
    ]) func aQuestionThatAKeyCannotAnswer(params: String) {
        #expect(request("item/tool/requestUserInput", params).firstOptions == nil)
    }

    @Test(arguments: [
        (#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}"#, false),
        (#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}"#, true),
        (#"{"requestedSchema":{"type":"object","properties":{}}}"#, false), (#"{"request":{"requestedSchema":{"type":"object"}}}"#, false),
        (#"{"mode":"url","url":"https://example.org","message":"m","elicitationId":"e"}"#, true),
        (#"{"mode":"url","requestedSchema":{"type":"object","properties":{}}}"#, true),
        (#"{"mode":"openai/userVerification","challenge":"c","description":"d","title":"t"}"#, true),
        (#"{"mode":"openai/form","message":"m","requestedSchema":{}}"#, true), (#"{"mode":"form","requestedSchema":null}"#, true),
        (#"{"mode":"form","requestedSchema":"any"}"#, true), ("{}", true),
    ]) func aToolServerThatAsks(params: String, needsForm: Bool) {
        let asked = request("mcpServer/elicitation/request", params)
        #expect(asked.kind == .elicitation(needsForm: needsForm) && asked.isApproval)
        #expect(asked.approval == (needsForm ? nil : ["action": "accept", "content": .object([:])]))
        #expect(asked.refusal == ["action": "decline"])
    }

    @Test(arguments: ["item/tool/call", "applyPatchApproval", "currentTime/read", "item/later/requestApproval", ""])
    func otherKindsAreShownAndNotAnswered(method: String) {
        let asked = request(method, #"{"threadId":"\#(thread.uuid)","availableDecisions":["accept"]}"#)
        #expect(asked.kind == .unknown(method: method) && asked.thread == thread)
        #expect(!asked.isApproval && asked.approval == nil && asked.refusal == nil && asked.firstOptions == nil)
    }

    @Test(arguments: ["null", "[]", "5", #"{"threadId":5,"turnId":null,"itemId":{}}"#, #"{"threadId":"no uuid"}"#]) func anyShapeIsBorne(
        params: String
    ) {
        for method in [
            "item/commandExecution/requestApproval", "item/permissions/requestApproval", "item/tool/requestUserInput",
            "mcpServer/elicitation/request", "x",
        ] {
            let asked = request(method, params)
            #expect(asked.thread == nil && asked.turnID == nil && asked.itemID == nil && asked.firstOptions == nil)
        }
    }
}
