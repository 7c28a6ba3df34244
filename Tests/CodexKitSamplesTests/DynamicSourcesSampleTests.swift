import CodexKit
import Foundation
import Testing

private struct SkillFetcher: AgentResourceFetching {
    func fetch(_ url: Foundation.URL, limit: Int) async throws -> AgentResource {
        let skill = #"{"id": "shipping_support", "name": "Shipping", "instructions": "Track it.", "executionPolicy": {"maxToolCalls": 2}}"#
        guard url.absoluteString == "https://example.com/skills/shipping_support.json" else { throw ToolFailure("another address") }
        return AgentResource(data: Data(skill.utf8), mimeType: "application/json")
    }
}

struct DynamicSourcesSampleTests {
    @Test func personaFromAFileAndSkillFromAnAddress() async throws {
        let server = try await SampleServer(.says("x"))
        let runtime = try await server.runtime(fetcher: SkillFetcher())
        let persona = server.folder.appendingPathComponent("persona.txt")
        try Data("Be kind.".utf8).write(to: persona)
        // The sample's path stands for the file, its address for what the fetcher gives.
        func URL(fileURLWithPath path: String) -> Foundation.URL { persona }
        func URL(string: String) -> Foundation.URL? { Foundation.URL(string: string) }
        // sample
        let localPersonaURL = URL(fileURLWithPath: "/path/to/persona.txt")
        let thread = try await runtime.createThread(
            title: "Dynamic Persona Thread",
            personaSource: .file(localPersonaURL)
        )

        let remoteSkillURL = URL(string: "https://example.com/skills/shipping_support.json")!
        let skill = try await runtime.registerSkill(
            from: .remote(remoteSkillURL)
        )

        try await runtime.setSkillIDs([skill.id], for: thread.id)
        // end of sample
        #expect(skill.executionPolicy?.maxToolCalls == 2)
        // sample
        let preview = try await runtime.resolvedInstructionsPreview(
            for: thread.id,
            request: UserMessageRequest(
                text: "Give me a strict step plan."
            )
        )
        print(preview)
        // end of sample
        #expect(preview.contains("Be kind.") && preview.contains("Track it."))
        await server.stop()
    }
}
