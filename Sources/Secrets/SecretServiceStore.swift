import CSecret
import Glibc
import Log

/// Keeps secrets in the keyring of the desktop session, through the Secret Service interface on the session bus.
///
/// Nothing here ever asks the person at the screen: a locked keyring is reported, not unlocked. Every call ends within the time
/// given, and runs on a thread of its own.
public actor SecretServiceStore: SecretStore {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { SecretThread.shared.asUnownedSerialExecutor() }

    private let timeout: Duration
    private let libraryName: String
    private var library: SecretLibrary?

    /// - Parameters:
    ///   - timeout: The longest a call may take, from 0.1 s to a few seconds.
    ///   - libraryName: The file name of libsecret for the dynamic linker.
    public init(timeout: Duration = .seconds(4), libraryName: String = "libsecret-1.so.0") {
        self.timeout = timeout
        self.libraryName = libraryName
    }

    public func store(_ secret: Secret, for key: SecretKey) throws(SecretStoreError) {
        try SecretLimits.check(secret)
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

    public func lookup(_ key: SecretKey) throws(SecretStoreError) -> Secret? {
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

    @discardableResult
    public func remove(_ key: SecretKey) throws(SecretStoreError) -> Bool {
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

    /// Finds out whether secrets can be kept here now.
    ///
    /// - Throws: ``SecretStoreError`` `.libraryMissing`, `.noService`, `.noCollection`, `.locked`, `.timedOut` or `.refused`.
    public func probe() throws(SecretStoreError) {
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

/// What one call to the keyring works with.
private struct ServiceCall {
    let library: SecretLibrary
    let service: UnsafeMutableRawPointer
    let cancellation: UnsafeMutableRawPointer?
    let timeout: Duration

    var functions: DeckSecretFunctions { library.functions }

    func failure(_ error: UnsafeMutablePointer<DeckGError>?) -> SecretStoreError { library.take(error, timeout: timeout) }

    /// The collection for new secrets, which the caller has to release.
    func defaultCollection() throws(SecretStoreError) -> UnsafeMutableRawPointer {
        var error: UnsafeMutablePointer<DeckGError>?
        guard let collection = functions.collection_for_alias(service, "default", 0, cancellation, &error) else {
            if error == nil { throw .noCollection }
            throw failure(error)
        }
        guard functions.collection_locked(collection) == 0 else {
            functions.object_unref(collection)
            throw .locked
        }
        return collection
    }

    /// Calls `body` with each item of that name, also with locked ones.
    func search(
        _ key: SecretKey, _ body: (UnsafeMutableRawPointer) throws(SecretStoreError) -> Void
    ) throws(SecretStoreError) {
        let attributes = library.attributes(key)
        var error: UnsafeMutablePointer<DeckGError>?
        let list = functions.service_search(
            service, SecretSchema.pointer, attributes.table, SecretSchema.searchAll | SecretSchema.loadSecrets, cancellation, &error)
        guard error == nil else { throw failure(error) }
        defer { functions.list_free_full(list, functions.object_unref) }
        var next = list
        while let node = next {
            if let item = node.pointee.data { try body(item) }
            next = node.pointee.next
        }
    }
}

/// The schema of our secrets, and the flags of libsecret's calls.
private enum SecretSchema {
    static let openSession: CInt = 1 << 1
    static let searchAll: CInt = 1 << 1
    static let loadSecrets: CInt = 1 << 3
    static let replace: CInt = 1 << 1

    /// Never changed after it is made, and never freed, as libsecret keeps it.
    nonisolated(unsafe) static let pointer: UnsafePointer<DeckSecretSchema> = {
        let schema = UnsafeMutablePointer<DeckSecretSchema>.allocate(capacity: 1)
        schema.initialize(to: DeckSecretSchema())
        schema.pointee.name = UnsafePointer(strdup("codex-deck.Secret"))
        schema.pointee.attributes.0.name = UnsafePointer(strdup("service"))
        schema.pointee.attributes.1.name = UnsafePointer(strdup("account"))
        return UnsafePointer(schema)
    }()
}
