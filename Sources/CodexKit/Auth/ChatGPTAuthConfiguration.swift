/// Where and as whom to sign in.
public struct ChatGPTAuthConfiguration: Hashable, Sendable {
    /// The server that signs people in, without a slash at its end.
    public var issuer: String
    public var clientID: String
    /// What the program calls itself to the server.
    public var originator: String
    /// What the browser sign-in asks for.
    public var scopes: [String]
    /// The port of the loopback listener; 0 for any, which only a local server accepts.
    public var callbackPort: UInt16
    /// How long a person may take.
    public var signInTimeout: Duration
    /// For one request to the server.
    public var requestTimeout: Duration

    public init(
        issuer: String = "https://auth.openai.com", clientID: String = "app_EMoamEEZ73f0CkXaXp7hrann", originator: String = "codexkit",
        scopes: [String] = ["openid", "profile", "email", "offline_access", "api.connectors.read", "api.connectors.invoke"],
        callbackPort: UInt16 = 1455, signInTimeout: Duration = .seconds(900), requestTimeout: Duration = .seconds(30)
    ) {
        self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        self.clientID = clientID
        self.originator = originator
        self.scopes = scopes
        self.callbackPort = callbackPort
        self.signInTimeout = signInTimeout
        self.requestTimeout = requestTimeout
    }
}
