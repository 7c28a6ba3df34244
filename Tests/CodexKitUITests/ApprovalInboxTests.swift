import CodexKit
import CodexKitUI
import FoundationEssentials
import Observation
import Testing

@MainActor
struct ApprovalInboxTests {
    private func request(_ id: String) -> ApprovalRequest {
        let call = ToolInvocation(id: "c", threadID: "t", turnID: "u", toolName: "rm", arguments: [:])
        return ApprovalRequest(id: id, threadID: "t", turnID: "u", toolInvocation: call, title: "Allow rm?", message: "It removes.")
    }

    private func appear(_ count: Int, in inbox: ApprovalInbox) async { while inbox.requests.count != count { await Task.yield() } }

    @Test func answersReachWhoAsked() async throws {
        let inbox = ApprovalInbox()
        let first = Task { try await inbox.requestApproval(request("1")) }
        await appear(1, in: inbox)
        let second = Task { try await inbox.requestApproval(request("2")) }
        await appear(2, in: inbox)
        #expect(inbox.currentRequest?.id == "1")
        inbox.denyCurrent()
        #expect(inbox.currentRequest?.id == "2")
        inbox.approve(request("2"))
        inbox.approveCurrent()
        #expect(inbox.requests.isEmpty)
        #expect(try await first.value == .denied)
        #expect(try await second.value == .approved)
    }

    @Test func aCancelledQuestionDisappears() async {
        let inbox = ApprovalInbox()
        let asked = Task { try await inbox.requestApproval(request("1")) }
        await appear(1, in: inbox)
        asked.cancel()
        await #expect(throws: CancellationError.self) { try await asked.value }
        #expect(inbox.requests.isEmpty)
        inbox.resolve("1", .approved)
    }

    @Test func oneThatWasCancelledBeforeNeverShows() async {
        let inbox = ApprovalInbox()
        let asked = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await inbox.requestApproval(request("1"))
        }
        asked.cancel()
        await #expect(throws: CancellationError.self) { try await asked.value }
        #expect(inbox.requests.isEmpty)
    }

    @Test func screensAreToldOfChanges() async {
        let inbox = ApprovalInbox()
        await confirmation { changed in
            withObservationTracking { _ = inbox.requests } onChange: { changed() }
            let asked = Task { try await inbox.requestApproval(request("1")) }
            await appear(1, in: inbox)
            inbox.approveCurrent()
            _ = try? await asked.value
        }
    }

    @Test func theCodeShowsForAsLongAsItIsOfUse() async throws {
        let coordinator = DeviceCodePromptCoordinator()
        let url = try #require(URL(string: "https://example.com/device"))
        let prompt = DeviceCodePrompt(verificationURL: url, userCode: "AB-12", expiresAt: Date(timeIntervalSince1970: 0))
        await coordinator.presentDeviceCode(prompt)
        #expect(coordinator.currentPrompt == prompt)
        await coordinator.dismissDeviceCode()
        #expect(coordinator.currentPrompt == nil)
    }
}
