import Files
import FoundationEssentials
import Glibc
import JSON

/// The session of the Codex CLI, read from its `auth.json` and never written; read again when the CLI has changed it.
public actor CodexCLISession: ExternalSessionProviding {
    /// The file that is read.
    public nonisolated let path: String

    private var read: (signature: Signature, session: ChatGPTSession)?

    /// - Parameter codexHome: The CLI's folder; `nil` for `$CODEX_HOME`, else `~/.codex`.
    public init(codexHome: String? = nil, environment: [String: String]? = nil) {
        let environment = environment ?? ProcessEnvironment.current()
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = codexHome ?? value("CODEX_HOME") ?? (value("HOME") ?? "") + "/.codex"
        path = home + "/auth.json"
    }

    public func externalSession() throws -> ChatGPTSession {
        let signature = try Signature(of: path)
        if let read, read.signature == signature { return read.session }
        let session = try load()
        read = (signature, session)
        return session
    }

    private func load() throws(AgentRuntimeError) -> ChatGPTSession {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(path, limit: 256 * 1024)
        } catch {
            throw AgentRuntimeError(code: .sessionStoreFailed, message: error.description)
        }
        guard let json = try? JSONParser(duplicateKeys: .lastWins).parse(bytes), json.object != nil else {
            throw AgentRuntimeError(code: .sessionDamaged, message: "\(path) is not the Codex CLI's session; run `codex login` again.")
        }
        guard let tokens = json["tokens"], let answer = TokenAnswer(tokens) else {
            let hasKey = json["OPENAI_API_KEY"]?.string.map { !$0.isEmpty } ?? false
            throw AgentRuntimeError(
                code: .missingSession,
                message: hasKey
                    ? "The Codex CLI uses an API key, not a ChatGPT session; run `codex login` and choose ChatGPT."
                    : "The Codex CLI is not signed in; run `codex login`.")
        }
        guard let account = Self.account(answer, tokens["account_id"]?.string) else {
            throw AgentRuntimeError(code: .sessionDamaged, message: "The session in \(path) names no account; run `codex login` again.")
        }
        let claims = TokenClaims(token: answer.accessToken)
        return ChatGPTSession(
            accessToken: answer.accessToken, idToken: answer.idToken, account: account, acquiredAt: claims?.issuedAt ?? Date(),
            expiresAt: claims?.expiresAt, isExternallyManaged: true)
    }

    private static func account(_ answer: TokenAnswer, _ id: String?) -> ChatGPTAccount? {
        let claims = answer.idToken.flatMap { TokenClaims(token: $0) }, access = TokenClaims(token: answer.accessToken)
        guard let id = id ?? claims?.accountID ?? access?.accountID, !id.isEmpty else { return nil }
        let plan = (claims?.plan ?? access?.plan).map { ChatGPTPlanType(rawValue: $0) } ?? .unknown
        return ChatGPTAccount(id: id, email: claims?.email ?? access?.email ?? "", plan: plan, name: claims?.name)
    }

    /// What tells one state of the file from the next; the CLI replaces it or writes it in place.
    private struct Signature: Equatable {
        let device: UInt64, inode: UInt64, size: Int, seconds: Int, nanoseconds: Int

        init(of path: String) throws(AgentRuntimeError) {
            var status = stat()
            guard stat(path, &status) == 0 else {
                let isMissing = errno == ENOENT || errno == ENOTDIR
                throw AgentRuntimeError(
                    code: isMissing ? .missingSession : .sessionStoreFailed,
                    message: isMissing
                        ? "The Codex CLI is not signed in: there is no \(path). Run `codex login`." : "\(path) cannot be read; check its owner.")
            }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }
}
