import EventLoop

/// Makes HTTP requests with libcurl, all on one event loop.
///
/// Connections are kept for the next request to the same server, and closed when the client and the bodies it gave out are gone.
/// HTTP/1.1 only: a connection carries one request at a time, so that cancelling a request can end it with its connection at once.
public actor HTTPClient {
    private let proxy: ProxySettings
    private let certificateAuthorities: String?
    private let givenLoop: EventLoop?
    private var driver: TransferDriver?

    /// - Parameters:
    ///   - environment: For the proxy (see ``ProxySettings``) and `SSL_CERT_FILE`, a file of certificate authorities to trust instead of
    ///     the system's.
    ///   - loop: Where to run, for longer than any request; `nil` for a loop of its own, started with the first request.
    public init(environment: [String: String], loop: EventLoop? = nil) {
        proxy = ProxySettings(environment: environment)
        certificateAuthorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        givenLoop = loop
    }

    deinit {
        guard let driver else { return }
        let ownsLoop = givenLoop == nil
        driver.loop.execute {
            driver.close()
            if ownsLoop { driver.loop.shutdown() }
        }
    }

    /// Sends a request and returns when the head of the answer has come, whatever its status.
    ///
    /// Cancelling the task closes the connection.
    /// - Throws: ``HTTPError``.
    public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
        try request.validate()
        let driver = try startedDriver()
        var request = request
        var address = try WebAddress(request.url, driver.curl)
        var redirects = 0
        while true {
            let response = try await start(request, at: address, on: driver)
            guard let target = try target(of: response, to: request, from: address, after: redirects, driver.curl) else { return response }
            response.body.close()
            redirects += 1
            address = target
            request.url = target.text
        }
    }

    /// Where to go next; `nil` when the answer is final.
    private func target(
        of response: HTTPResponse, to request: HTTPRequest, from address: WebAddress, after redirects: Int, _ curl: CurlLibrary
    ) throws(HTTPError) -> WebAddress? {
        guard case .followed(let maximum) = request.redirects, request.isRepeatableAnywhere, [301, 302, 303, 307, 308].contains(response.status),
            let location = response.fields["Location"]
        else { return nil }
        guard redirects < maximum else { throw .tooManyRedirects(maximum) }
        let target = try WebAddress(location, relativeTo: address.text, curl)
        if target.hasSameOrigin(as: address) { return target }
        guard !request.carriesCredentials, target.isSecure || !address.isSecure else {
            throw .redirectRefused(from: address.host, to: target.host)
        }
        return target
    }

    private func start(_ request: HTTPRequest, at address: WebAddress, on driver: TransferDriver) async throws(HTTPError) -> HTTPResponse {
        let transfer = Transfer(request, at: address, on: driver)
        let head = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.loop.execute { transfer.start(continuation) }
            }
        } onCancel: {
            transfer.cancelFromAnywhere()
        }
        let (status, fields) = try head.get()
        return HTTPResponse(status: status, fields: fields, body: HTTPBody(transfer, of: self), url: address.text)
    }

    private func startedDriver() throws(HTTPError) -> TransferDriver {
        if let driver { return driver }
        let curl = try CurlLibrary.shared.get()
        let loop: EventLoop
        if let givenLoop {
            loop = givenLoop
        } else {
            do throws(SystemError) { loop = try EventLoop(name: "http") } catch { throw .system(error.description) }
        }
        let made = TransferDriver(curl, loop: loop, proxy: proxy, certificateAuthorities: certificateAuthorities)
        driver = made
        return made
    }
}
