/// Signs in to ChatGPT by one of its two ways.
public struct ChatGPTAuthProvider: ChatGPTAuthProviding {
    public enum Method: String, Hashable, Sendable, CaseIterable {
        /// A code to be typed on a page, on any device.
        case deviceCode
        /// The browser of this computer, which comes back to a loopback address.
        case oauth
    }

    public let method: Method
    private let provider: any ChatGPTAuthProviding

    /// - Parameters:
    ///   - deviceCodePresenter: Shows the code; needed for ``Method/deviceCode``.
    ///   - browserPresenter: Opens the page for ``Method/oauth``; `nil` runs `xdg-open` and prints the address to standard error.
    /// - Throws: ``AgentRuntimeError`` `invalidConfiguration` when the method's presenter is missing.
    public init(
        method: Method, deviceCodePresenter: (any DeviceCodePresenting)? = nil, browserPresenter: (any BrowserPresenting)? = nil,
        configuration: ChatGPTAuthConfiguration = .init()
    ) throws {
        self.method = method
        switch method {
        case .deviceCode:
            guard let deviceCodePresenter else {
                throw AgentRuntimeError(
                    code: .invalidConfiguration, message: "Signing in with a device code needs a deviceCodePresenter that shows the code.")
            }
            provider = ChatGPTDeviceCodeAuthProvider(presenter: deviceCodePresenter, configuration: configuration)
        case .oauth:
            provider = ChatGPTOAuthProvider(presenter: browserPresenter ?? SystemBrowser(), configuration: configuration)
        }
    }

    public func signInInteractively() async throws -> ChatGPTSession { try await provider.signInInteractively() }

    public func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession {
        try await provider.refresh(session: session, reason: reason)
    }
}
