import CodexKit
import Foundation
import Testing

struct ImportedContentSampleTests {
    private let sharedExcerpt = "The parcel is late."
    private let sharedURL = URL(string: "https://example.com/parcel")!
    private let sharedImages: [AgentImageAttachment] = [.png(Data([1]))]

    @Test func firstGeneration() async throws {
        let server = try await SampleServer(.says("Call the depot."))
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        // sample
        let imported = AgentImportedContent(
            textSnippets: [sharedExcerpt],
            urls: [sharedURL],
            images: sharedImages
        )

        let request = UserMessageRequest(
            prompt: "Summarize this shared content and call out the next action.",
            importedContent: imported
        )

        let summary = try await runtime.sendMessage(
            request,
            in: thread.id
        )
        // end of sample
        #expect(summary == "Call the depot.")
        let text = try await server.body(0)["input"]?[0]?["content"]?[0]?["text"]?.string
        #expect(text?.contains("The parcel is late.") == true && text?.contains("https://example.com/parcel") == true)
        await server.stop()
    }

    @Test func today() async throws {
        let server = try await SampleServer(.says("Call the depot."))
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        // sample
        let imported = AgentImportedContent(
            textSnippets: [sharedExcerpt],
            urls: [sharedURL],
            images: sharedImages
        )

        let request = Request(
            prompt: "Summarize this shared content and call out the next action.",
            importedContent: imported
        )

        let summary = try await runtime.send(
            request,
            in: thread.id
        )
        // end of sample
        #expect(summary == "Call the depot.")
        await server.stop()
    }
}
