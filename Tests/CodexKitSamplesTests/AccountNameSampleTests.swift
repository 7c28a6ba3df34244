import CodexKit
import Testing

struct AccountNameSampleTests {
    @Test func displayName() async throws {
        let server = try await SampleServer(.says("x"))
        let runtime = try await server.runtime()
        // sample
        if let session = await runtime.currentSession() {
            print("Signed in as \(session.account.displayName)")
        }
        // end of sample
        #expect(await runtime.currentSession()?.account.displayName == "Ada")
        await server.stop()
    }

    @Test func bothInitialisers() {
        // The first one can be passed as a function.
        let make: (String, String, ChatGPTPlanType) -> ChatGPTAccount = ChatGPTAccount.init(id:email:plan:)
        #expect(make("a", "e", .plus).name == nil)
        #expect(ChatGPTAccount(id: "a", email: "e", plan: .plus, name: " ").displayName == "e")
    }
}
