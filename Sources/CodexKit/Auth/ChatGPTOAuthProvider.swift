import FoundationEssentials
import HTTP
import Log
import TLS

/// Signs in with the browser of this computer, which comes back to a listener on the loopback address.
public struct ChatGPTOAuthProvider: ChatGPTAuthProviding {
    private let presenter: any BrowserPresenting
    private let server: AuthServer

    public init(presenter: any BrowserPresenting = SystemBrowser(), configuration: ChatGPTAuthConfiguration = .init()) {
        self.init(presenter: presenter, configuration: configuration, http: HTTPTransport.shared, clock: .system)
    }

    init(presenter: any BrowserPresenting, configuration: ChatGPTAuthConfiguration, http: HTTPClient, clock: AuthClock) {
        self.presenter = presenter
        server = AuthServer(configuration: configuration, http: http, clock: clock)
    }

    public func signInInteractively() async throws -> ChatGPTSession {
        do {
            let pkce = try PKCE { try SecureRandom.bytes($0) }
            let state = Base64URL.encode(try SecureRandom.bytes(32))
            let listener = try CallbackListener(state: Secret(state))
            let code: String, redirect: String
            do {
                redirect = "http://localhost:\(try await listener.start(port: server.configuration.callbackPort))/auth/callback"
                code = try await authorize(listener, state: state, pkce: pkce, redirect: redirect)
            } catch {
                await listener.close()
                throw error
            }
            await listener.close()
            return try await server.exchange(code: code, verifier: pkce.verifier, redirectURI: redirect)
        } catch {
            throw SignInFailure.from(error)
        }
    }

    public func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession {
        try await server.refresh(session)
    }

    private func authorize(_ listener: CallbackListener, state: String, pkce: PKCE, redirect: String) async throws -> String {
        guard let page = URL(string: authorizationURL(state: state, challenge: pkce.challenge, redirect: redirect)) else {
            throw AgentRuntimeError(code: .invalidConfiguration, message: "The issuer is no URL; correct it.")
        }
        let limit = server.configuration.signInTimeout, clock = server.clock, presenter = presenter
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await presenter.open(page) }
            group.addTask {
                do { try await clock.sleep(limit) } catch { return }  // The wait has ended otherwise.
                listener.fail(SignInFailure.timedOut)
            }
            defer { group.cancelAll() }
            return try await listener.code()
        }
    }

    func authorizationURL(state: String, challenge: String, redirect: String) -> String {
        let configuration = server.configuration
        return configuration.issuer + "/oauth/authorize?"
            + FormCoding.encode([
                ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", redirect),
                ("scope", configuration.scopes.joined(separator: " ")), ("code_challenge", challenge), ("code_challenge_method", "S256"),
                ("id_token_add_organizations", "true"), ("codex_cli_simplified_flow", "true"), ("state", state),
                ("originator", configuration.originator),
            ])
    }
}
