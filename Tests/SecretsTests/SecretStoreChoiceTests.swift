import Foundation
import Log
import Synchronization
import Testing

@testable import Secrets

/// Keeps secrets in memory; can be made to fail.
final class MemoryStore: SecretStore {
    let kept = Mutex<[SecretKey: String]>([:])
    let failure: SecretStoreError?

    init(failure: SecretStoreError? = nil) { self.failure = failure }

    func store(_ secret: Secret, for key: SecretKey) async throws(SecretStoreError) {
        if let failure { throw failure }
        kept.withLock { $0[key] = secret.reveal() }
    }

    func lookup(_ key: SecretKey) async throws(SecretStoreError) -> Secret? {
        if let failure { throw failure }
        return kept.withLock { $0[key] }.map { Secret($0) }
    }

    func remove(_ key: SecretKey) async throws(SecretStoreError) -> Bool {
        if let failure { throw failure }
        return kept.withLock { $0.removeValue(forKey: key) } != nil
    }
}

@Suite(.serialized, .timeLimit(.minutes(2)))
struct SecretStoreChoiceTests {
    private let state = StateFolder()
    private let key = SecretKey(service: "relay-token", account: "one")!

    @Test func filesWhenTheSettingsSayFiles() async throws {
        let chosen = try await chooseSecretStore(preference: .file, environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"], stateHome: state.path)
        #expect(chosen.place == .file)
        let because = "as the settings say so: only you can read them, but unlike in a keyring they are not encrypted."
        #expect(chosen.remark == "Secrets are kept in files below \(state.path)/secrets, \(because)")
        try await chosen.store.store(Secret("x"), for: key)
        #expect(try FileSecretStore(stateHome: state.path).lookup(key) == Secret("x"))
    }

    @Test(arguments: [[:], ["DBUS_SESSION_BUS_ADDRESS": ""], ["XDG_RUNTIME_DIR": "/nonexistent"], ["XDG_RUNTIME_DIR": "."]])
    func filesWithoutASessionBusAndNothingIsLoaded(environment: [String: String]) async throws {
        let service = SecretServiceStore(libraryName: "libsecret-none.so.9")
        let chosen = try await chooseSecretStore(preference: .automatic, environment: environment, stateHome: state.path, service: service)
        #expect(chosen.place == .file)
        #expect(chosen.remark?.contains("as this session has no keyring:") == true)
        await #expect(throws: SecretStoreError.noService) {
            try await chooseSecretStore(preference: .service, environment: environment, stateHome: state.path, service: service)
        }
    }

    @Test func filesWithoutTheLibrary() async throws {
        let service = SecretServiceStore(libraryName: "libsecret-none.so.9")
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]
        let chosen = try await chooseSecretStore(preference: .automatic, environment: environment, stateHome: state.path, service: service)
        #expect(chosen.place == .file)
        #expect(chosen.remark?.contains("as libsecret is not installed:") == true)
        await #expect(throws: SecretStoreError.libraryMissing) {
            try await chooseSecretStore(preference: .service, environment: environment, stateHome: state.path, service: service)
        }
    }

    @Test func theKeyringWhenItIsOpenAndTheFilesOfBefore() async throws {
        let session = try KeyringSession(.unlocked)
        try FileSecretStore(stateHome: state.path).store(Secret("before"), for: key)
        await #expect(processExitsWith: .success) { [address = session.address as String, stateHome = state.path as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
            let key = SecretKey(service: "relay-token", account: "one")!
            let chosen = try await chooseSecretStore(preference: .automatic, environment: environment, stateHome: stateHome)
            #expect(chosen.place == .service)
            #expect(chosen.remark == nil)
            #expect(try await chosen.store.lookup(key) == Secret("before"))
            try await chosen.store.store(Secret("after"), for: key)
            #expect(try FileSecretStore(stateHome: stateHome).lookup(key) == nil)
            let strict = try await chooseSecretStore(preference: .service, environment: environment, stateHome: stateHome)
            #expect(try await strict.store.lookup(key) == Secret("after"))
        }
        withExtendedLifetime(session) {}
    }

    @Test func filesWhileTheKeyringIsLocked() async throws {
        let session = try KeyringSession(.unlocked)
        try session.lock()
        await #expect(processExitsWith: .success) { [address = session.address as String, stateHome = state.path as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
            let chosen = try await chooseSecretStore(preference: .automatic, environment: environment, stateHome: stateHome)
            #expect(chosen.place == .file)
            #expect(chosen.remark?.contains("as the keyring is locked:") == true)
            await #expect(throws: SecretStoreError.locked) {
                try await chooseSecretStore(preference: .service, environment: environment, stateHome: stateHome)
            }
        }
        withExtendedLifetime(session) {}
    }

    @Test func movingKeepsTheOldSecretUntilTheNewIsKept() async throws {
        let old = MemoryStore()
        let new = MemoryStore()
        let store = MigratingSecretStore(new: new, old: old)
        try await old.store(Secret("old"), for: key)
        #expect(try await store.lookup(key) == Secret("old"))
        await #expect(throws: SecretStoreError.locked) {
            try await MigratingSecretStore(new: MemoryStore(failure: .locked), old: old).store(Secret("new"), for: key)
        }
        #expect(try await old.lookup(key) == Secret("old"))
        try await store.store(Secret("new"), for: key)
        #expect(try await old.lookup(key) == nil)
        #expect(try await store.lookup(key) == Secret("new"))
    }

    @Test func removingRemovesBoth() async throws {
        let old = MemoryStore()
        let new = MemoryStore()
        let store = MigratingSecretStore(new: new, old: old)
        #expect(try await !store.remove(key))
        try await old.store(Secret("old"), for: key)
        try await new.store(Secret("new"), for: key)
        #expect(try await store.remove(key))
        #expect(try await store.lookup(key) == nil)
    }
}
