import Foundation
import Testing

/// The functions of libsecret are declared by hand, so that it need not be linked: a C compiler compares them with the real headers.
struct SecretInterfaceTests {
    private static let repository = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static let program = """
        #define _GNU_SOURCE
        #include "\(repository)/Sources/CSecret/shim.h"
        #include <libsecret/secret.h>
        #define SAME(a, b) _Static_assert(a == b, #a " is " #b)
        SAME(sizeof(DeckSecretSchema), sizeof(SecretSchema));
        SAME(offsetof(DeckSecretSchema, attributes), offsetof(SecretSchema, attributes));
        SAME(offsetof(DeckSecretSchema, reserved), offsetof(SecretSchema, reserved));
        SAME(sizeof(DeckSecretAttribute), sizeof(SecretSchemaAttribute));
        SAME(sizeof(DeckGError), sizeof(GError));
        SAME(offsetof(DeckGError, code), offsetof(GError, code));
        SAME(offsetof(DeckGError, message), offsetof(GError, message));
        SAME(offsetof(DeckGList, next), offsetof(GList, next));
        SAME(SECRET_SERVICE_OPEN_SESSION, 1 << 1);
        SAME(SECRET_SEARCH_ALL, 1 << 1);
        SAME(SECRET_SEARCH_LOAD_SECRETS, 1 << 3);
        SAME(SECRET_ITEM_CREATE_REPLACE, 1 << 1);
        SAME(SECRET_COLLECTION_NONE, 0);
        SAME(SECRET_SCHEMA_NONE, 0);
        SAME(SECRET_SCHEMA_ATTRIBUTE_STRING, 0);
        SAME(SECRET_ERROR_IS_LOCKED, 2);
        SAME(G_IO_ERROR_FAILED, 0);
        SAME(G_IO_ERROR_NOT_FOUND, 1);
        SAME(G_IO_ERROR_CANCELLED, 19);
        SAME(G_IO_ERROR_TIMED_OUT, 24);
        SAME(G_IO_ERROR_CONNECTION_REFUSED, 39);
        SAME(G_DBUS_ERROR_SERVICE_UNKNOWN, 2);
        SAME(G_DBUS_ERROR_NAME_HAS_NO_OWNER, 3);
        SAME(G_DBUS_ERROR_NO_REPLY, 4);
        SAME(G_DBUS_ERROR_NO_SERVER, 11);
        SAME(G_DBUS_ERROR_TIMEOUT, 12);
        SAME(G_DBUS_ERROR_DISCONNECTED, 15);
        #define EXISTS(member, symbol) (void)&symbol;
        int main(void) {
            DECK_SECRET_FUNCTIONS(EXISTS)
            DeckSecretFunctions table;
            return deck_secret_load(&table, "libsecret-1.so.0") ? 0 : 1;
        }
        """

    @Test func theDeclarationsMatchTheRealHeaders() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/deck-interface-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.program.write(toFile: folder + "/check.c", atomically: true, encoding: .utf8)
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "cd \(folder) && ${CC:-cc} -o check check.c $(pkg-config --cflags --libs libsecret-1) && ./check"]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
