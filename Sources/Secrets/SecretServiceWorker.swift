import CSecret
import Log

/// Talks to the keyring on the ``SecretThread``. Its calls block; ``SecretServiceStore`` is what others use.
actor SecretServiceWorker {
    nonisolated var unownedExecutor: UnownedSerialExecutor { SecretThread.shared.asUnownedSerialExecutor() }

    private let timeout: Duration
    private let libraryName: String
    private var library: SecretLibrary?

    init(timeout: Duration, libraryName: String) {
        self.timeout = timeout
        self.libraryName = libraryName
    }

    func store(_ secret: Secret, for key: SecretKey) throws(SecretStoreError) {
        try withService { (call) throws(SecretStoreError) in
            let collection = try call.defaultCollection()
            defer { call.functions.object_unref(collection) }
            let attributes = call.library.attributes(key)
            let text = secret.reveal()
            let value = call.functions.value_new(text, text.utf8.count, "text/plain")
            defer { call.functions.value_unref(value) }
            var error: UnsafeMutablePointer<DeckGError>?
            let item = call.functions.item_create(
                collection, SecretSchema.pointer, attributes.table, "Codex Deck: \(key.service) of \(key.account)", value,
                SecretSchema.replace, call.cancellation, &error)
            guard let item else { throw call.failure(error) }
            call.functions.object_unref(item)
        }
    }

    func lookup(_ key: SecretKey) throws(SecretStoreError) -> Secret? {
        try withService { (call) throws(SecretStoreError) in
            var found: Secret?
            try call.search(key) { (item) throws(SecretStoreError) in
                guard found == nil else { return }
                guard call.functions.item_locked(item) == 0 else { throw .locked }
                guard let value = call.functions.item_secret(item) else { throw .damaged("the keyring") }
                defer { call.functions.value_unref(value) }
                found = try Self.text(value, call.functions)
            }
            return found
        }
    }

    func remove(_ key: SecretKey) throws(SecretStoreError) -> Bool {
        try withService { (call) throws(SecretStoreError) in
            var count = 0
            try call.search(key) { (item) throws(SecretStoreError) in
                guard call.functions.item_locked(item) == 0 else { throw .locked }
                count += 1
            }
            guard count > 0 else { return false }
            let attributes = call.library.attributes(key)
            var error: UnsafeMutablePointer<DeckGError>?
            let removed = call.functions.service_clear(call.service, SecretSchema.pointer, attributes.table, call.cancellation, &error)
            guard error == nil else { throw call.failure(error) }
            return removed != 0
        }
    }

    func probe() throws(SecretStoreError) {
        try withService { (call) throws(SecretStoreError) in
            call.functions.object_unref(try call.defaultCollection())
        }
    }

    private func withService<Result>(_ body: (ServiceCall) throws(SecretStoreError) -> Result) throws(SecretStoreError) -> Result {
        let library = try loaded()
        let cancellation = Cancellation(after: timeout, library.functions)
        defer { library.settle() }
        var error: UnsafeMutablePointer<DeckGError>?
        guard let service = library.functions.service_get(SecretSchema.openSession, cancellation.handle.pointer, &error) else {
            throw library.take(error, timeout: timeout)
        }
        defer { library.functions.object_unref(service) }
        return try body(ServiceCall(library: library, service: service, cancellation: cancellation.handle.pointer, timeout: timeout))
    }

    /// Runs a piece of work here.
    func perform(_ body: @Sendable (isolated SecretServiceWorker) -> Void) { body(self) }

    private func loaded() throws(SecretStoreError) -> SecretLibrary {
        if let library { return library }
        let library = try SecretLibrary(libraryName)
        self.library = library
        return library
    }

    private static func text(_ value: UnsafeMutableRawPointer, _ functions: DeckSecretFunctions) throws(SecretStoreError) -> Secret {
        var length = 0
        guard let start = functions.value_get(value, &length), (1...SecretLimits.maximumLength).contains(length) else {
            throw .damaged("the keyring")
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .damaged("the keyring") }
        return Secret(text)
    }
}
