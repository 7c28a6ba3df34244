import CCurl

/// curl's handle of one transfer with all its settings; owns what curl only borrows.
///
/// The transfer must outlive it, and it must be out of the driver before it is freed.
final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    private let curl: CurlLibrary
    private var list: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var body: UnsafeMutableRawBufferPointer?

    /// What curl wrote about a failure.
    var detail: String {
        let text = String(cString: errorText)
        return text.isEmpty ? "no reason was given" : text
    }

    /// `nil` when curl is out of memory or does not know an option.
    init?(_ transfer: Transfer, _ driver: TransferDriver) {
        curl = driver.curl
        guard let easy = curl.functions.easy_init() else { return nil }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard setConnection(transfer, driver), setRequest(transfer.request), setReceivers(transfer) else { return nil }
    }

    deinit {
        curl.functions.easy_cleanup(easy)
        curl.functions.slist_free_all(list)
        body?.deallocate()
        errorText.deallocate()
    }

    private func set(_ option: CURLoption, _ value: Int) -> Bool { deck_curl_set_long(curl.table, easy, option, value) == 1 }
    private func set(_ option: CURLoption, _ value: String) -> Bool { deck_curl_set_text(curl.table, easy, option, value) == 1 }

    private func setConnection(_ transfer: Transfer, _ driver: TransferDriver) -> Bool {
        let (proxy, exceptions) = driver.proxy.options(isSecure: transfer.address.isSecure)
        let milliseconds = transfer.request.connectTimeout / .milliseconds(1)
        guard set(CURLOPT_URL, transfer.address.text), set(CURLOPT_PROTOCOLS_STR, "http,https"), set(CURLOPT_FOLLOWLOCATION, 0),
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1), set(CURLOPT_NOSIGNAL, 1), set(CURLOPT_TCP_NODELAY, 1),
            set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(milliseconds, 1), 86_400_000))), set(CURLOPT_SSLVERSION, deck_curl_tls_1_2()),
            set(CURLOPT_PROXY, proxy), set(CURLOPT_NOPROXY, exceptions), set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            set(CURLOPT_TCP_KEEPALIVE, 1), set(CURLOPT_HTTP09_ALLOWED, 0),
            deck_curl_set_pointer(curl.table, easy, CURLOPT_ERRORBUFFER, errorText) == 1
        else { return false }
        return driver.certificateAuthorities.map { set(CURLOPT_CAINFO, $0) } ?? true
    }

    private func setRequest(_ request: HTTPRequest) -> Bool {
        if let bytes = request.body {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
            copy.copyBytes(from: bytes)
            body = copy
            guard set(CURLOPT_POST, 1), deck_curl_set_size(curl.table, easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(bytes.count)) == 1,
                deck_curl_set_pointer(curl.table, easy, CURLOPT_POSTFIELDS, copy.baseAddress) == 1
            else { return false }
        } else if request.method == "HEAD" {
            guard set(CURLOPT_NOBODY, 1) else { return false }
        }
        guard set(CURLOPT_CUSTOMREQUEST, request.method) else { return false }
        // Empty ones take out what curl would add by itself: the first would cost a round trip.
        for line in ["Expect:", "Content-Type:"] + request.fields.map({ $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }) {
            if line == "Content-Type:", request.fields["Content-Type"] != nil { continue }
            guard let longer = curl.functions.slist_append(list, line) else { return false }
            list = longer
        }
        return deck_curl_set_pointer(curl.table, easy, CURLOPT_HTTPHEADER, list) == 1
    }

    private func setReceivers(_ transfer: Transfer) -> Bool {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        let head: deck_curl_receiver = { bytes, size, count, context in
            guard let context else { return 0 }
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
        }
        let body: deck_curl_receiver = { bytes, size, count, context in
            guard let context else { return 0 }
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            switch transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
            case .taken: return size * count
            case .refused: return 0
            case .later: return deck_curl_pause_receiving()
            }
        }
        let ready: curl_prereq_callback = { context, _, _, _, _ in
            if let context { Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().connectionIsReady() }
            return 0
        }
        return deck_curl_set_receivers(curl.table, easy, head, body, context) == 1
            && deck_curl_set_ready(curl.table, easy, ready, context) == 1
    }
}
