import FoundationEssentials
import HTTP
import JSON

/// Signs in with a code that a person types on a page of the server, on any device: it needs neither a browser here nor a listener.
public struct ChatGPTDeviceCodeAuthProvider: ChatGPTAuthProviding {
    private let presenter: any DeviceCodePresenting
    private let server: AuthServer

    public init(presenter: any DeviceCodePresenting, configuration: ChatGPTAuthConfiguration = .init()) {
        self.init(presenter: presenter, configuration: configuration, http: HTTPTransport.shared, clock: .system)
    }

    init(presenter: any DeviceCodePresenting, configuration: ChatGPTAuthConfiguration, http: HTTPClient, clock: AuthClock) {
        self.presenter = presenter
        server = AuthServer(configuration: configuration, http: http, clock: clock)
    }

    public func signInInteractively() async throws -> ChatGPTSession {
        let code = try await requestCode()
        let deadline = server.clock.now().addingTimeInterval(TimeInterval(server.configuration.signInTimeout / .seconds(1)))
        guard let page = URL(string: server.configuration.issuer + "/codex/device") else {
            throw AgentRuntimeError(code: .invalidConfiguration, message: "The issuer is no URL; correct it.")
        }
        await presenter.presentDeviceCode(DeviceCodePrompt(verificationURL: page, userCode: code.userCode, expiresAt: deadline))
        do {
            let session = try await awaitApproval(of: code, until: deadline)
            await presenter.dismissDeviceCode()
            return session
        } catch {
            await presenter.dismissDeviceCode()
            throw SignInFailure.from(error)
        }
    }

    public func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession {
        try await server.refresh(session)
    }

    private struct Code {
        let id: String
        let userCode: String
        let interval: Duration
    }

    private func requestCode() async throws -> Code {
        let answer: ServerAnswer
        do {
            answer = try await server.post(json: ["client_id": .string(server.configuration.clientID)], to: "/api/accounts/deviceauth/usercode")
        } catch {
            throw SignInFailure.from(error)
        }
        guard answer.isSuccess, !answer.isChallenge else {
            throw server.failure(answer, as: .signInRefused, "The server gave no code to sign in with")
        }
        let json = answer.json
        guard let id = json?["device_auth_id"]?.string, let code = json?["user_code"]?.string ?? json?["usercode"]?.string,
            (1...512).contains(id.utf8.count), (1...64).contains(code.utf8.count), code.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw AgentRuntimeError(code: .invalidResponse, message: "The server's answer holds no code to sign in with; try again.")
        }
        let seconds = json?["interval"]?.number ?? json?["interval"]?.string.flatMap { Double($0) } ?? 5
        let bounded = seconds.isFinite ? min(max(seconds, 1), 60) : 5
        return Code(id: id, userCode: code, interval: .milliseconds(Int64(bounded * 1000)))
    }

    /// Asks again and again until the person has typed the code.
    private func awaitApproval(of code: Code, until deadline: Date) async throws -> ChatGPTSession {
        var interval = code.interval
        while true {
            try await server.clock.sleep(interval)
            guard server.clock.now() < deadline else { throw SignInFailure.timedOut }
            let answer: ServerAnswer
            do throws(AgentRuntimeError) {
                answer = try await server.post(
                    json: ["device_auth_id": .string(code.id), "user_code": .string(code.userCode)], to: "/api/accounts/deviceauth/token")
            } catch {
                // A moment without network in fifteen minutes is no reason to start over.
                guard error.code == .network || error.code == .timedOut else { throw error }
                continue
            }
            if !answer.isChallenge, answer.status == 403 || answer.status == 404 { continue }
            if answer.status == 429 || answer.status >= 500, !answer.isChallenge {
                let wait = answer.retryAfter(now: server.clock.now().timeIntervalSince1970) ?? .zero
                interval = max(min(interval * 2, .seconds(60)), min(wait, .seconds(60)))
                continue
            }
            return try await redeem(answer)
        }
    }

    private func redeem(_ answer: ServerAnswer) async throws -> ChatGPTSession {
        guard answer.isSuccess, !answer.isChallenge else {
            throw server.failure(answer, as: .signInRefused, "The sign-in was refused")
        }
        guard let code = answer.json?["authorization_code"]?.string, let verifier = answer.json?["code_verifier"]?.string else {
            throw AgentRuntimeError(code: .invalidResponse, message: "The server's answer to the sign-in is incomplete; try again.")
        }
        return try await server.exchange(code: code, verifier: verifier, redirectURI: server.configuration.issuer + "/deviceauth/callback")
    }
}
