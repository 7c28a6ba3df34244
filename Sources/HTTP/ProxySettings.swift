/// The proxy for a request, chosen from variables of the environment as the `curl` command does.
public struct ProxySettings: Hashable, Sendable {
    private let http: String?
    private let https: String?
    private let exceptions: String?

    /// No proxy, whatever the environment says.
    public static let none = ProxySettings(environment: [:])

    /// Reads `http_proxy` (in lower case only: a web server's client sets HTTP_PROXY by a field named Proxy), `https_proxy`, `all_proxy`
    /// and `no_proxy`, the latter three in upper case too.
    public init(environment: [String: String]) {
        func value(_ names: String...) -> String? { names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
        let any = value("all_proxy", "ALL_PROXY")
        http = value("http_proxy") ?? any
        https = value("https_proxy", "HTTPS_PROXY") ?? any
        exceptions = value("no_proxy", "NO_PROXY")
    }

    /// What curl is told: a proxy, empty for none, and the hosts that need none.
    func options(isSecure: Bool) -> (proxy: String, exceptions: String) {
        ((isSecure ? https : http) ?? "", exceptions ?? "")
    }
}
