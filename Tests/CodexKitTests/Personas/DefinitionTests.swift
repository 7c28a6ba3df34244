import FoundationEssentials
import Testing

@testable import CodexKit

struct DefinitionTests {
    private struct Fetcher: AgentResourceFetching {
        let text: String

        func fetch(_ url: URL, limit: Int) async throws -> AgentResource {
            guard text != "down" else { throw AgentRuntimeError(code: .network, message: "The server is down.") }
            return AgentResource(data: Data(text.utf8))
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to name: String = "definition") throws -> AgentDefinitionSource {
        try Data(text.utf8).write(to: folder.url(name))
        return .file(folder.url(name))
    }

    private func persona(_ text: String) async throws -> AgentPersonaStack {
        try await DefinitionLoader(fetcher: Fetcher(text: "")).persona(from: write(text))
    }

    private func skill(_ text: String, id: String? = nil, name: String? = nil) async throws -> AgentSkill {
        try await DefinitionLoader(fetcher: Fetcher(text: "")).skill(from: write(text), id: id, name: name)
    }

    @Test func plainTextIsAPersonaOfOneLayer() async throws {
        let stack = try await persona("\u{FEFF}\n Be kind.\n\n")
        #expect(stack == AgentPersonaStack(layers: [.init(name: "definition", instructions: "Be kind.")]))
    }

    @Test func jsonIsAWholePersona() async throws {
        let stack = try await persona(#" {"layers":[{"name":"a","instructions":"A"},{"name":"b","instructions":"B"}]}"#)
        #expect(stack.layers.map(\.name) == ["a", "b"])
    }

    @Test func jsonIsASkillWithItsRules() async throws {
        let text = """
            {"id": "ship", "name": "Ship", "instructions": "Help.", "executionPolicy":
            {"allowedToolNames": ["a"], "requiredToolNames": ["a"], "toolSequence": ["a"], "maxToolCalls": 2}}
            """
        let skill = try await skill(text)
        #expect(skill.id == "ship")
        #expect(
            skill.executionPolicy
                == AgentSkillExecutionPolicy(allowedToolNames: ["a"], requiredToolNames: ["a"], toolSequence: ["a"], maxToolCalls: 2))
        #expect(try await self.skill(text, id: "other").id == "other")
        #expect(try await self.skill(#"{"id":"a","name":"A","instructions":"x"}"#).executionPolicy == nil)
    }

    @Test func plainTextIsASkillWithGivenIDAndName() async throws {
        #expect(try await skill("Help.", id: "h", name: "H") == AgentSkill(id: "h", name: "H", instructions: "Help."))
        #expect(await code { try await skill("Help.", id: "h") } == .definitionInvalid)
        #expect(await code { try await skill("Help.") } == .definitionInvalid)
    }

    @Test(arguments: ["", "  \n", "{", #"{"layers":5}"#, #"{"name":"x"}"#])
    func refusesWhatIsNoPersona(text: String) async {
        #expect(await code { try await persona(text) } == .definitionInvalid)
    }

    @Test func saysWhatIsMissingAndNotWhatIsThere() async throws {
        do {
            _ = try await skill(#"{"id":"hush","name":"N"}"#)
            #expect(Bool(false))
        } catch let error as AgentRuntimeError {
            #expect(error.message.contains("instructions is missing") && !error.message.contains("hush"))
        }
    }

    @Test func refusesFilesThatCannotBeDefinitions() async throws {
        let loader = DefinitionLoader(fetcher: Fetcher(text: ""))
        #expect(await code { try await loader.persona(from: .file(folder.url("missing"))) } == .definitionUnavailable)
        #expect(await code { try await loader.persona(from: .file(folder.url(""))) } == .definitionUnavailable)
        let large = try write(String(repeating: "a", count: DefinitionLoader.limit + 1))
        #expect(await code { try await loader.persona(from: large) } == .definitionUnavailable)
        try Data([0xFF, 0xFE, 0x00]).write(to: folder.url("binary"))
        #expect(await code { try await loader.persona(from: .file(folder.url("binary"))) } == .definitionInvalid)
    }

    @Test func loadsFromTrustworthyAddressesOnly() async throws {
        let loader = DefinitionLoader(fetcher: Fetcher(text: "Be kind."))
        for address in ["https://example.com/p.txt", "http://localhost:8080/p.txt", "http://127.0.0.1/p.txt"] {
            #expect(try await loader.persona(from: .remote(#require(URL(string: address)))).layers.map(\.name) == ["p.txt"])
        }
        for address in ["http://example.com/p.txt", "file:///etc/passwd", "ftp://example.com/p", "http://127.0.0.1.example.com/p"] {
            let url = try #require(URL(string: address))
            #expect(await code { try await loader.persona(from: .remote(url)) } == .definitionUnavailable, "\(address)")
        }
        let down = DefinitionLoader(fetcher: Fetcher(text: "down"))
        let url = try #require(URL(string: "https://example.com/p"))
        #expect(await code { try await down.persona(from: .remote(url)) } == .definitionUnavailable)
    }

    @Test func theRuntimeUsesThem() async throws {
        let remote = Fetcher(text: #"{"id":"r","name":"R","instructions":"Remote."}"#)
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("ok"))) { $0.resourceFetcher = remote }
        let thread = try await fixture.runtime.createThread(personaSource: try write("From a file."))
        let skill = try await fixture.runtime.registerSkill(from: .remote(try #require(URL(string: "https://example.com/s.json"))))
        try await fixture.runtime.setSkillIDs([skill.id], for: thread.id)
        let preview = try await fixture.runtime.resolvedInstructionsPreview(for: thread.id, request: Request(text: "x"))
        #expect(preview.contains("From a file.") && preview.contains("Remote."))
        try await fixture.runtime.setPersona(from: try write("Another."), for: thread.id)
        #expect(try await fixture.runtime.thread(id: thread.id).personaStack?.layers.map(\.instructions) == ["Another."])
    }
}
