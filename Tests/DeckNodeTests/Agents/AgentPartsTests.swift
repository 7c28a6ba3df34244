import CodexKit
import Testing

@testable import DeckNode

struct AgentPartsTests {
    private func parts(_ change: (inout AgentSettings) -> Void = { _ in }) -> AgentParts {
        var settings = AgentSettings()
        change(&settings)
        return AgentParts(settings: settings, variables: ["HOME": "/h"], codexHome: "/c")
    }

    @Test func withoutSettingsTheServicesAreTheUsualOnes() {
        let parts = parts()
        #expect(parts.authConfiguration.issuer == "https://auth.openai.com")
        #expect(parts.authConfiguration.clientID == ChatGPTAuthConfiguration().clientID)
        #expect(parts.backendConfiguration.baseURL == CodexResponsesBackendConfiguration.defaultBaseURL)
        #expect(parts.backendConfiguration.reasoningEffort == .medium)
        #expect(parts.secureStore.account == "main")
        #expect(parts.secureStore.fallback == .none)
        #expect(!parts.usesCLISession)
    }

    @Test func everySettingCounts() {
        let parts = parts {
            $0.issuer = "http://127.0.0.1:1/"
            $0.clientID = "c"
            $0.baseURL = "http://127.0.0.1:2/v1"
            $0.model = "m"
            $0.effort = "xhigh"
            $0.allowsSessionFile = true
            $0.session = .codex
        }
        #expect(parts.authConfiguration.issuer == "http://127.0.0.1:1")
        #expect(parts.authConfiguration.clientID == "c")
        #expect(parts.backendConfiguration.baseURL.absoluteString == "http://127.0.0.1:2/v1")
        #expect(parts.backendConfiguration.model == "m")
        #expect(parts.backendConfiguration.reasoningEffort == .extraHigh)
        #expect(parts.secureStore.fallback == .file)
        #expect(parts.usesCLISession)
        #expect(parts.cliSession.path == "/c/auth.json")
    }

    @Test func aSessionNeverGoesToOtherServicesThanItsOwn() {
        let accounts = [
            parts().secureStore.account, parts { $0.issuer = "http://127.0.0.1:1" }.secureStore.account,
            parts { $0.baseURL = "http://127.0.0.1:1" }.secureStore.account, parts { $0.baseURL = "http://127.0.0.1:2" }.secureStore.account,
        ]
        #expect(Set(accounts).count == accounts.count)
        #expect(accounts.allSatisfy { $0.utf8.count <= 64 })
        #expect(parts { $0.model = "m" }.secureStore.account == "main", "another model is no other service")
    }

    @Test func theWayOutIsOneOfThisProgram() {
        let hint = "No. Or allow a file with \(KeychainSessionSecureStore.fallbackVariable)=file."
        #expect(SessionHint.ours(hint) == "No. Or allow a file that is not encrypted: `decknode config set agents.sessionFile true`.")
        #expect(SessionHint.ours("No.") == "No.")
    }

    @Test(arguments: [(0, "0:00"), (5, "0:05"), (60, "1:00"), (899, "14:59")] as [(Int64, String)])
    func timeLeftIsToldInMinutes(seconds: Int64, text: String) { #expect(DeviceCodeScreen.minutes(seconds) == text) }
}
