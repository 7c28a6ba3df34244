import CodexKit
import FoundationEssentials
import HTTP

@testable import EventLoop

/// Remembers what a person would have seen.
final class RecordingPresenter: DeviceCodePresenting {
    private let state = Locked<(prompts: [DeviceCodePrompt], dismissals: Int)>(([], 0))

    var prompts: [DeviceCodePrompt] { state.withLock { $0.prompts } }
    var dismissals: Int { state.withLock { $0.dismissals } }

    func presentDeviceCode(_ prompt: DeviceCodePrompt) async { state.withLock { $0.prompts.append(prompt) } }
    func dismissDeviceCode() async { state.withLock { $0.dismissals += 1 } }
}

/// A browser that comes back at once, to what `answer` makes of the page's query.
struct FakeBrowser: BrowserPresenting {
    let http = HTTPClient(environment: [:])
    let page = Locked<(url: URL?, statuses: [Int])>((nil, []))
    /// The paths and queries to ask the listener for, one after the other.
    let answer: @Sendable ([String: String]) -> [String]

    func open(_ url: URL) async {
        page.withLock { $0.url = url }
        let pairs = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let query = Dictionary(pairs.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        let origin = (query["redirect_uri"] ?? "").replacing("/auth/callback", with: "").replacing("localhost", with: "127.0.0.1")
        // A browser lives on when nobody waits for it any more, and gets to read its last page.
        Task {
            for target in answer(query) {
                let response = try? await http.send(HTTPRequest("GET", origin + target))
                if let status = response?.status { page.withLock { $0.statuses.append(status) } }
            }
        }
    }

    /// What it was answered, once there are so many answers: signing in does not wait for its last page.
    func statuses(_ count: Int) async throws -> [Int] {
        for _ in 0..<2_000 where page.withLock({ $0.statuses.count }) < count { try await Task.sleep(for: .milliseconds(5)) }
        return page.withLock { $0.statuses }
    }
}
