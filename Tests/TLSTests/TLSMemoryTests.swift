import Foundation
import Testing

@testable import TLS

/// Each measures a process of its own, where no other test allocates. Sanitizers keep freed memory, so under them nothing is measured.
@Suite(.enabled(if: dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil))
struct TLSMemoryTests {
    @Test("2,000 engines that came and went leave nothing behind") func connectionsLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            let identity = try Fixture.makeIdentity()
            let other = try Fixture.makeIdentity()
            let server = try TLSContext.server(identity)
            let right = try TLSContext.client(pinnedTo: identity.certificate.fingerprint)
            let wrong = try TLSContext.client(pinnedTo: other.certificate.fingerprint)
            let message = Fixture.bytes(20_480)
            func come(_ number: Int) throws {
                let pair = try Pair(client: number % 4 == 1 ? wrong : right, server: server)
                switch number % 4 {
                case 0:
                    try pair.connect()
                    try pair.server.engine.write(message)
                    try pair.shuttle()
                case 1: _ = pair.connectExpectingFailure()
                case 2: _ = pair.server.failure(feeding: message)
                default: try pair.client.engine.handshake()
                }
            }
            for number in 0..<400 { try come(number) }
            let before = try residentBytes()
            for number in 0..<1000 { try come(number) }
            let grown = try residentBytes() - before
            // Even a leak of 1 KiB per engine would show.
            #expect(grown < 1 << 20, "grew by \(grown) bytes")
        }
    }

    @Test("An idle connection costs little, also after large messages") func idleConnectionsAreSmall() async {
        await #expect(processExitsWith: .success) {
            let identity = try Fixture.makeIdentity()
            let message = Fixture.bytes(20_480)
            let server = try TLSContext.server(identity)
            let client = try TLSContext.client(pinnedTo: identity.certificate.fingerprint)
            func connect() throws -> Pair {
                let pair = try Pair(client: client, server: server)
                try pair.connect()
                try pair.server.engine.write(message)
                try pair.shuttle()
                pair.client.received = []
                return pair
            }
            let first = try (0..<50).map { _ in try connect() }
            let before = try residentBytes()
            let more = try (0..<500).map { _ in try connect() }
            let each = (try residentBytes() - before) / more.count
            // Both ends together; the server's is the smaller half, since it keeps no certificate of the other side.
            #expect(each < 40 * 1024, "\(each) bytes per pair")
            withExtendedLifetime((first, more)) {}
        }
    }
}

/// What the process holds in memory now.
private func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * sysconf(Int32(_SC_PAGESIZE))
}
