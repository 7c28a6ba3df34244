import CCurl
import EventLoop

/// Connects libcurl's multi interface with an event loop: curl says what to wait for, the loop says when it has come.
///
/// `@unchecked Sendable`: everything that changes is touched on the loop's thread only, which every member checks.
final class TransferDriver: @unchecked Sendable {
    let curl: CurlLibrary
    let loop: EventLoop
    let proxy: ProxySettings
    let certificateAuthorities: String?
    private var multi: UnsafeMutableRawPointer?
    private var watches: [Int32: Watch] = [:]
    private var timer: Timer?
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    private var isClosed = false

    init(_ curl: CurlLibrary, loop: EventLoop, proxy: ProxySettings, certificateAuthorities: String?) {
        self.curl = curl
        self.loop = loop
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
    }

    /// Begins a transfer, which ends with ``Transfer/end(_:)``; the driver keeps it until then.
    ///
    /// - Returns: Whether curl took it.
    func add(_ transfer: Transfer, _ easy: UnsafeMutableRawPointer) -> Bool {
        loop.preconditionOnLoop()
        guard !isClosed, let multi = multi ?? makeMulti() else { return false }
        guard curl.functions.multi_add(multi, easy) == CURLM_OK else { return false }
        transfers[ObjectIdentifier(transfer)] = transfer
        return true
    }

    /// Takes a transfer out; its connection is closed unless the answer was complete.
    func remove(_ transfer: Transfer, _ easy: UnsafeMutableRawPointer) {
        loop.preconditionOnLoop()
        guard let multi, transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        _ = curl.functions.multi_remove(multi, easy)
    }

    /// Ends all transfers and closes all connections.
    func close() {
        loop.preconditionOnLoop()
        isClosed = true
        for transfer in transfers.values { transfer.end(.failure(.cancelled)) }
        timer?.cancel()
        if let multi { _ = curl.functions.multi_cleanup(multi) }
        multi = nil
        for watch in watches.values { watch.cancel() }
        watches = [:]
    }

    private func makeMulti() -> UnsafeMutableRawPointer? {
        guard let made = curl.functions.multi_init() else { return nil }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let isSet = deck_curl_set_multi_callbacks(
            curl.table, made,
            { _, socket, action, context, _ in
                guard let context else { return 0 }
                Unmanaged<TransferDriver>.fromOpaque(context).takeUnretainedValue().watch(socket, action)
                return 0
            },
            { _, milliseconds, context in
                guard let context else { return 0 }
                Unmanaged<TransferDriver>.fromOpaque(context).takeUnretainedValue().wake(after: milliseconds)
                return 0
            }, context)
        guard isSet == 1, deck_curl_set_multi_long(curl.table, made, CURLMOPT_MAXCONNECTS, 16) == 1 else {
            _ = curl.functions.multi_cleanup(made)
            return nil
        }
        multi = made
        return made
    }

    /// curl wants to hear of a socket, or no more.
    private func watch(_ socket: Int32, _ action: Int32) {
        var interest: Readiness = []
        if action == CURL_POLL_IN || action == CURL_POLL_INOUT { interest.insert(.readable) }
        if action == CURL_POLL_OUT || action == CURL_POLL_INOUT { interest.insert(.writable) }
        if action == CURL_POLL_REMOVE {
            watches.removeValue(forKey: socket)?.cancel()
            return
        }
        do {
            if let watch = watches[socket] {
                try watch.modify(interest)
            } else {
                watches[socket] = try loop.watch(socket, interest) { [unowned self] in self.act(on: socket, $0) }
            }
        } catch {
            // The system is out of watches: the transfers' own time limits end what waits for this socket.
            watches.removeValue(forKey: socket)?.cancel()
        }
    }

    private func wake(after milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        // Also for 0: curl must not be called from within its own call.
        timer = loop.schedule(after: .milliseconds(milliseconds)) { [unowned self] in self.act(on: deck_curl_timeout_socket(), []) }
    }

    private func act(on socket: Int32, _ ready: Readiness) {
        guard let multi else { return }
        var bits: Int32 = 0
        if ready.contains(.readable) { bits |= CURL_CSELECT_IN }
        if ready.contains(.writable) { bits |= CURL_CSELECT_OUT }
        if !ready.isDisjoint(with: [.failed, .hungUp]) { bits |= CURL_CSELECT_ERR | CURL_CSELECT_IN }
        var running: Int32 = 0
        _ = curl.functions.multi_socket_action(multi, socket, bits, &running)
        endFinished()
    }

    /// Ends the transfers that curl has finished with.
    func endFinished() {
        guard let multi else { return }
        var code = CURLE_OK
        while let context = deck_curl_next_ended(curl.table, multi, &code) {
            Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().curlEnded(code)
        }
    }
}
