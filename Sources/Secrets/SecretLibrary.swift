import CSecret
import Glibc
import Log

/// libsecret, found when the first secret is wanted. Used on the ``SecretThread`` only.
struct SecretLibrary {
    let functions: DeckSecretFunctions

    /// - Parameter name: The file name of the library for the dynamic linker.
    init(_ name: String) throws(SecretStoreError) {
        var functions = DeckSecretFunctions()
        guard deck_secret_load(&functions, name) == 1 else { throw .libraryMissing }
        self.functions = functions
    }

    /// Makes the typed error for what a call left in `error`, and frees it.
    func take(_ error: UnsafeMutablePointer<DeckGError>?, timeout: Duration) -> SecretStoreError {
        guard let error else { return .refused("no reason was given") }
        defer { functions.error_free(error) }
        let (domain, code) = (error.pointee.domain, error.pointee.code)
        if domain == functions.io_error_quark(), code == 19 || code == 24 { return .timedOut(timeout) }  // cancelled, timed out
        if domain == functions.secret_error_quark(), code == 2 { return .locked }
        // Of the bus: no reply, time-out; then service unknown, no owner, no server, disconnected; of the socket: not found, refused and
        // the like.
        if domain == functions.dbus_error_quark(), [4, 12].contains(code) { return .timedOut(timeout) }
        if domain == functions.dbus_error_quark(), [2, 3, 11, 15].contains(code) { return .noService }
        if domain == functions.io_error_quark(), [0, 1, 39].contains(code) { return .noService }
        let text = error.pointee.message.map { String(cString: $0) } ?? ""
        return .refused(redact(String(text.prefix(200))))
    }

    /// An attribute table for a key; the strings belong to it until ``Attributes/free(_:)``.
    func attributes(_ key: SecretKey) -> Attributes { Attributes(key, functions) }

    /// Lets GLib throw away the news that it queued for a main loop, which this program has not got.
    func settle() {
        functions.service_disconnect()
        for _ in 0..<1000 where functions.main_context_iteration(nil, 0) != 0 {}
    }
}

/// A table of the two attributes that name a secret.
struct Attributes: ~Copyable {
    let table: UnsafeMutableRawPointer?
    private let strings: [UnsafeMutablePointer<CChar>?]
    private let unref: @convention(c) (UnsafeMutableRawPointer?) -> Void

    fileprivate init(_ key: SecretKey, _ functions: DeckSecretFunctions) {
        table = functions.hash_table_new(functions.str_hash, functions.str_equal)
        strings = [strdup("service"), strdup(key.service), strdup("account"), strdup(key.account)]
        _ = functions.hash_table_insert(table, strings[0], strings[1])
        _ = functions.hash_table_insert(table, strings[2], strings[3])
        unref = functions.hash_table_unref
    }

    deinit {
        unref(table)
        for string in strings { free(string) }
    }
}

/// Ends a call that takes too long.
struct Cancellation: ~Copyable {
    /// A GCancellable, which may be cancelled from any thread; it is kept alive until the timer is done with it.
    final class Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer?
        private let functions: DeckSecretFunctions

        init(_ functions: DeckSecretFunctions) {
            self.functions = functions
            pointer = functions.cancellable_new()
        }

        func cancel() { functions.cancellable_cancel(pointer) }

        deinit { functions.object_unref(pointer) }
    }

    let handle: Handle
    private let timer: Task<Void, Never>

    init(after timeout: Duration, _ functions: DeckSecretFunctions) {
        let handle = Handle(functions)
        self.handle = handle
        timer = Task.detached {
            do { try await Task.sleep(for: timeout) } catch { return }  // The call has ended in time.
            handle.cancel()
        }
    }

    deinit { timer.cancel() }
}
