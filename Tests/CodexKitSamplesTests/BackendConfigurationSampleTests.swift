import CodexKit
import Testing

/// Configuring the backend: retries and the thinking level.
struct BackendConfigurationSampleTests {
    @Test func retries() {
        // sample
        let backend = CodexResponsesBackend(
            configuration: .init(
                model: "gpt-5.4",
                requestRetryPolicy: .init(
                    maxAttempts: 3,
                    initialBackoff: 0.5,
                    maxBackoff: 4,
                    jitterFactor: 0.2
                )
                // or disable:
                // requestRetryPolicy: .disabled
            )
        )
        // end of sample
        #expect(backend.configuration.requestRetryPolicy.maxAttempts == 3)
        #expect(CodexResponsesBackendConfiguration(model: "gpt-5.4", requestRetryPolicy: .disabled).requestRetryPolicy.maxAttempts == 1)
    }

    @Test func thinkingLevel() {
        // sample
        let backend = CodexResponsesBackend(
            configuration: .init(
                model: "gpt-5.4",
                reasoningEffort: .high
            )
        )
        // end of sample
        #expect(backend.configuration.reasoningEffort == .high)
        let levels: [ReasoningEffort] = [.low, .medium, .high, .extraHigh]
        #expect(levels.map(\.rawValue) == ["low", "medium", "high", "xhigh"])
    }
}
