import Files
import Foundation
import Log
import Testing

@testable import Secrets

final class StateFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/deck-state-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}

struct FileSecretStoreTests {
    private let state = StateFolder()
    private var store: FileSecretStore { FileSecretStore(stateHome: state.path) }
    private let key = SecretKey(service: "relay-token", account: "one")!

    @Test func keepsFindsReplacesAndRemoves() throws {
        #expect(try store.lookup(key) == nil)
        #expect(try !store.remove(key))
        try store.store(Secret("first"), for: key)
        try store.store(Secret("größer"), for: key)
        #expect(try store.lookup(key) == Secret("größer"))
        #expect(try store.lookup(SecretKey(service: "other", account: "one")!) == nil)
        #expect(try store.remove(key))
        #expect(try store.lookup(key) == nil)
    }

    @Test func onlyTheOwnerCanReadIt() throws {
        try store.store(Secret("x"), for: key)
        #expect(state.mode(store.path(key)) == 0o600)
        for folder in [state.path, store.folder, store.folder + "/relay-token"] { #expect(state.mode(folder) == 0o700) }
        chmod(store.path(key), 0o644)
        #expect(try store.lookup(key) == Secret("x"))
        #expect(state.mode(store.path(key)) == 0o600)
    }

    @Test func linksAndFoldersAreRefused() throws {
        try store.store(Secret("x"), for: key)
        let path = store.path(key)
        rename(path, path + ".moved")
        try #require(symlink(path + ".moved", path) == 0)
        #expect(throws: SecretStoreError.file(.symbolicLink(path))) { try store.lookup(key) }
        unlink(path)
        mkdir(path, 0o700)
        #expect(throws: SecretStoreError.file(.notRegular(path))) { try store.lookup(key) }
        #expect(throws: SecretStoreError.file(.notRegular(path))) { try store.store(Secret("y"), for: key) }
    }

    @Test(arguments: [[], [0xFF, 0xFE], [0x61, 0, 0x62], [UInt8](repeating: 0x61, count: SecretLimits.maximumLength + 1)])
    func damageIsSaid(bytes: [UInt8]) throws {
        try store.store(Secret("x"), for: key)
        try AtomicFile.write(bytes, to: store.path(key))
        #expect(throws: SecretStoreError.damaged(store.path(key))) { try store.lookup(key) }
        #expect(try store.remove(key), "what is damaged can be removed")
    }

    @Test(arguments: [("", false), ("a\0b", false), (String(repeating: "x", count: SecretLimits.maximumLength), true), (String(repeating: "x", count: SecretLimits.maximumLength + 1), false)])
    func boundsWhatIsKept(text: String, fits: Bool) throws {
        if fits {
            try store.store(Secret(text), for: key)
            #expect(try store.lookup(key) == Secret(text))
        } else {
            #expect(throws: SecretStoreError.unfitting) { try store.store(Secret(text), for: key) }
            #expect(!FileManager.default.fileExists(atPath: store.folder))
        }
    }

    @Test(arguments: [
        ("a", "a"), ("A-b_9", "A-b_9"), ("a.b", "a.b"), ("..", "%2E."), (".", "%2E"), ("a/b", "a%2Fb"), ("../../etc", "%2E.%2F..%2Fetc"),
        ("%2F", "%252F"),
        ("ä b", "%C3%A4%20b"),
    ])
    func namesNeverLeaveTheFolder(name: String, file: String) throws {
        #expect(FileSecretStore.fileName(name) == file)
        let key = SecretKey(service: name, account: name)!
        try store.store(Secret("x"), for: key)
        #expect(FileManager.default.fileExists(atPath: store.folder + "/\(file)/\(file)"))
        #expect(try store.lookup(key) == Secret("x"))
    }

    @Test(arguments: [
        ("", false), ("a", true), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false), ("a\nb", false),
        ("a\0", false), ("é", true),
    ])
    func boundsNames(name: String, valid: Bool) throws {
        #expect((SecretKey(service: name, account: "x") != nil) == valid)
        #expect((SecretKey(service: "x", account: name) != nil) == valid)
    }

    @Test func theLongestNamesFitAFileSystem() throws {
        let name = String(repeating: "ä", count: 32)
        let key = SecretKey(service: name, account: name)!
        try store.store(Secret("x"), for: key)
        #expect(try store.lookup(key) == Secret("x"))
    }

    @Test func errorsNeverHoldTheSecret() {
        let errors: [SecretStoreError] = [
            .unfitting, .libraryMissing, .noService, .noCollection, .locked, .timedOut(.seconds(4)), .refused("text"), .damaged("/a"),
            .file(.readOnly("/a")),
        ]
        for error in errors {
            #expect(error.description.hasSuffix("."))
            #expect(!error.description.contains("\n"))
        }
    }
}
