import CSecret
import Glibc
import Log

/// What one call to the keyring works with.
struct ServiceCall {
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
enum SecretSchema {
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
