import Files
import Foundation
import Log
import Testing

@testable import Secrets

/// GLib reads the address of the bus from the environment, once: each case has a process of its own.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SecretServiceStoreTests {
    private static func key(_ account: String, service: String = "relay-token") -> SecretKey { SecretKey(service: service, account: account)! }

    @Test func keepsFindsReplacesAndRemoves() async throws {
        let session = try KeyringSession(.unlocked)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let store = SecretServiceStore(), one = Self.key("one"), two = Self.key("two")
            try await store.probe()
            #expect(try await store.lookup(one) == nil)
            #expect(try await !store.remove(one))
            try await store.store(Secret("first"), for: one)
            try await store.store(Secret("other"), for: two)
            try await store.store(Secret("größer 標題"), for: one)
            #expect(try await store.lookup(one) == Secret("größer 標題"))
            #expect(try await store.lookup(two) == Secret("other"))
            #expect(try await store.lookup(Self.key("one", service: "other")) == nil)
            #expect(try await store.remove(one))
            #expect(try await store.lookup(one) == nil)
            #expect(try await !store.remove(one))
            #expect(try await store.lookup(two) == Secret("other"))
            let longest = Secret(String(repeating: "x", count: SecretLimits.maximumLength))
            try await store.store(longest, for: one)
            #expect(try await store.lookup(one) == longest)
        }
        withExtendedLifetime(session) {}
    }

    @Test func anotherProcessFindsWhatOneKept() async throws {
        let session = try KeyringSession(.unlocked)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            try await SecretServiceStore().store(Secret("kept"), for: Self.key("one"))
        }
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let found = try await SecretServiceStore().lookup(Self.key("one"))
            #expect(found == Secret("kept"))
        }
        withExtendedLifetime(session) {}
    }

    @Test func aLockedKeyringIsSaidAndNobodyIsAsked() async throws {
        let session = try KeyringSession(.unlocked)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            try await SecretServiceStore().store(Secret("kept"), for: Self.key("one"))
        }
        try session.lock()
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let store = SecretServiceStore()
            await #expect(throws: SecretStoreError.locked) { try await store.probe() }
            await #expect(throws: SecretStoreError.locked) { try await store.lookup(Self.key("one")) }
            await #expect(throws: SecretStoreError.locked) { try await store.store(Secret("new"), for: Self.key("one")) }
            await #expect(throws: SecretStoreError.locked) { try await store.remove(Self.key("one")) }
            let none = try await store.lookup(Self.key("none"))
            #expect(none == nil)
        }
        withExtendedLifetime(session) {}
    }

    @Test func lockingIsNoticedByAStoreThatWasOpen() async throws {
        let session = try KeyringSession(.unlocked)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let store = SecretServiceStore()
            try await store.store(Secret("kept"), for: Self.key("one"))
            let lock = Process()
            lock.executableURL = URL(fileURLWithPath: "/usr/bin/gdbus")
            lock.arguments = [
                "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", "/org/freedesktop/secrets", "--method",
                "org.freedesktop.Secret.Service.Lock", "['/org/freedesktop/secrets/collection/login']",
            ]
            lock.standardOutput = FileHandle.nullDevice
            try lock.run()
            lock.waitUntilExit()
            #expect(lock.terminationStatus == 0)
            await #expect(throws: SecretStoreError.locked) { try await store.lookup(Self.key("one")) }
            await #expect(throws: SecretStoreError.locked) { try await store.store(Secret("new"), for: Self.key("two")) }
        }
        withExtendedLifetime(session) {}
    }

    @Test func aKeyringThatIsNotSetUpIsSaid() async throws {
        let session = try KeyringSession(.notSetUp)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            await #expect(throws: SecretStoreError.noCollection) { try await SecretServiceStore().store(Secret("x"), for: Self.key("one")) }
        }
        withExtendedLifetime(session) {}
    }

    @Test func aBusWithoutAKeyringIsSaid() async throws {
        let session = try KeyringSession(.none)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            await #expect(throws: SecretStoreError.noService) { try await SecretServiceStore().probe() }
            await #expect(throws: SecretStoreError.noService) { try await SecretServiceStore().lookup(Self.key("one")) }
        }
        withExtendedLifetime(session) {}
    }

    @Test(arguments: ["unix:path=/nonexistent/bus", "nonsense", "unix:path=/dev/null"])
    func noBusIsSaid(address: String) async {
        await #expect(processExitsWith: .success) { [address = address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let error = await #expect(throws: SecretStoreError.self) { try await SecretServiceStore().probe() }
            if address != "nonsense" { #expect(error == .noService) }
        }
    }

    @Test func aHangingKeyringIsGivenUp() async throws {
        let session = try KeyringSession(.unlocked)
        try session.freeze()
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let limit = Duration.milliseconds(300), store = SecretServiceStore(timeout: limit)
            await #expect(throws: SecretStoreError.timedOut(limit)) { try await store.probe() }
            await #expect(throws: SecretStoreError.timedOut(limit)) { try await store.lookup(Self.key("one")) }
        }
        withExtendedLifetime(session) {}
    }

    @Test func aBusThatNeverAnswersIsGivenUp() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/deck-silent-\(getpid())"
        unlink(path)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer {
            close(listener)
            unlink(path)
        }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        try #require(bound == 0 && listen(listener, 4) == 0)
        await #expect(processExitsWith: .success) { [address = "unix:path=" + path as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let limit = Duration.milliseconds(300), store = SecretServiceStore(timeout: limit)
            await #expect(throws: SecretStoreError.timedOut(limit)) { try await store.lookup(Self.key("one")) }
        }
    }

    @Test func aMissingLibraryIsSaid() async {
        let store = SecretServiceStore(libraryName: "libsecret-none.so.9")
        await #expect(throws: SecretStoreError.libraryMissing) { try await store.probe() }
        // A library that is there but lacks the functions is no better.
        await #expect(throws: SecretStoreError.libraryMissing) { try await SecretServiceStore(libraryName: "libc.so.6").probe() }
    }

    @Test(arguments: ["", "a\0b", String(repeating: "x", count: SecretLimits.maximumLength + 1)])
    func unfittingSecretsAreRefusedBeforeAnythingIsLoaded(text: String) async {
        let store = SecretServiceStore(libraryName: "libsecret-none.so.9")
        await #expect(throws: SecretStoreError.unfitting) { try await store.store(Secret(text), for: Self.key("one")) }
    }

    @Test func theLibraryIsNotLoadedBeforeItIsNeeded() async {
        await #expect(processExitsWith: .success) {
            let store = SecretServiceStore()
            #expect(!Self.isMapped("libsecret"), "libsecret must not be linked: it costs every command some milliseconds")
            #expect(!Self.isMapped("libgio"))
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1)
            _ = try? await store.probe()
            #expect(Self.isMapped("libsecret"))
        }
    }

    private static func isMapped(_ name: String) -> Bool {
        (try? File.read("/proc/self/maps", limit: 1 << 22)).map { String(decoding: $0, as: UTF8.self).contains(name) } ?? false
    }

    @Test func callsComeOneAfterTheOtherOnTheirOwnThread() async throws {
        let session = try KeyringSession(.unlocked)
        await #expect(processExitsWith: .success) { [address = session.address as String] in
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            let stores = [SecretServiceStore(), SecretServiceStore()]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let key = Self.key("account-\(number)"), store = stores[number % 2]
                        try await store.store(Secret("value-\(number)"), for: key)
                        #expect(try await store.lookup(key) == Secret("value-\(number)"))
                    }
                }
                try await group.waitForAll()
            }
        }
        withExtendedLifetime(session) {}
    }
}
