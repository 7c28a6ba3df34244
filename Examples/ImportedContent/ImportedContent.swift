import CodexKit
import ExampleSupport
import FoundationEssentials

/// Asks about things from elsewhere, as a share menu would: texts, files, links and pictures.
///
///     ExampleImportedContent --text "…" --file notes.txt --url https://example.com --image photo.jpg  What is next?
@main
struct ImportedContent {
    static func main() async {
        await run {
            let options = try ExampleOptions(names: ["text", "file", "url", "image"])
            let content = try imported(options)
            guard !content.isEmpty else { throw ExampleFailure("There is nothing to ask about; give --text, --file, --url or --image.") }

            let setup = ExampleSetup(options)
            let runtime = try AgentRuntime(configuration: .init(
                authProvider: try setup.authProvider,
                secureStore: setup.secureStore,
                backend: try setup.backend,
                approvalPresenter: FixedApprovalPresenter(.denied),
                stateStore: InMemoryRuntimeStateStore()
            ))
            try await setup.begin(runtime)
            let prompt = options.words.isEmpty ? "Summarise this in three short bullet points." : options.words.joined(separator: " ")
            let thread = try await runtime.createThread(title: "Imported")
            let request = Request(prompt: prompt, importedContent: content)
            show(try await runtime.send(request, in: thread.id) + "\n")
        }
    }

    static func imported(_ options: ExampleOptions) throws -> AgentImportedContent {
        var content = AgentImportedContent(textSnippets: options.all("text"))
        for path in options.all("file") { content.textSnippets.append(String(decoding: try data(path), as: UTF8.self)) }
        for text in options.all("url") {
            guard let url = URL(string: text), url.scheme != nil else { throw ExampleFailure("\(text) is no address.") }
            content.urls.append(url)
        }
        for path in options.all("image") {
            guard let image = AgentImageAttachment(try data(path)) else { throw ExampleFailure("\(path) is no JPEG, PNG, GIF or WebP.") }
            content.images.append(image)
        }
        return content
    }

    private static func data(_ path: String) throws -> Data {
        do { return try Data(contentsOf: URL(filePath: path)) } catch { throw ExampleFailure("\(path) cannot be read.") }
    }
}
