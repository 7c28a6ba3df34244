import EventLoop
import Glibc
import JSON
import Testing
import WebSocket

@testable import CodexAppServer

struct SocketTransportTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/s" }

    private func ear(
        on loop: EventLoop, limit: Int = 1 << 20, ping: Duration? = nil, pong: Duration = .seconds(60), opening: Duration = .seconds(60)
    ) async throws -> TransportEar {
        let address = try SocketAddress(unixPath: path)
        return await TransportEar.start(on: loop) {
            var configuration = WebSocketConnection.Configuration()
            configuration.maxMessageBytes = limit
            configuration.pingInterval = ping
            configuration.pongTimeout = pong
            return SocketTransport(address, on: loop, configuration: configuration, openingLimit: opening)
        }
    }

    @Test func messagesAreTextFrames() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, on: loop)
            let ear = try await ear(on: loop)
            await ear.wait { $0.isOpen }
            await ear.run { $0.transport.send(bytes(#"{"id":1,"method":"m"}"#)) }
            await daemon.wait { $0.received.count == 1 }
            await daemon.say(#"{"id":1,"result":{}}"#)
            await daemon.say("second")
            await ear.wait { $0.messages.count == 2 }
            #expect(await ear.run { $0.messages } == [bytes(#"{"id":1,"result":{}}"#), bytes("second")])
            await ear.run { $0.transport.close() }
            #expect(await ear.end() == .closedHere)
            await daemon.wait { $0.closed == 1 }
        }
    }

    /// The official daemon passes over binary frames; here they are messages like others, and nothing ends.
    @Test func binaryFramesDoNoHarm() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, on: loop)
            let ear = try await ear(on: loop)
            await ear.wait { $0.isOpen }
            await daemon.say(binary: [0xff, 0, 1])
            await daemon.say("after")
            await ear.wait { $0.messages.last == bytes("after") }
            #expect(await ear.holds { $0.ends.isEmpty })
        }
    }

    @Test func tellsAMissingSocketFromADeadOne() async throws {
        try await withLoop { loop in
            let early = try await ear(on: loop)
            #expect(await early.end() == .absent)
            leaveDeadSocket(path)
            let late = try await ear(on: loop)
            #expect(await late.end() == .refused)
        }
    }

    @Test(arguments: [
        bytes("nonsense\r\n\r\n"), bytes("HTTP/1.1 200 OK\r\n\r\n"), bytes("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"),
        bytes(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
                + "sec-websocket-accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"
        ),
        [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0x61, count: 100_000),
    ]) func whatDoesNotUpgradeIsNoDaemon(answer: [UInt8]) async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, .says(answer), on: loop)
            let ear = try await ear(on: loop)
            guard case .violation = await ear.end() else {
                Issue.record("must be a violation")
                return
            }
            #expect(await ear.holds { !$0.isOpen && $0.messages.isEmpty })
            await daemon.wait { $0.closed == 1 }
        }
    }

    @Test(
        arguments: [
            // A length of 2^40 and one of 2^63, a message over the limit in two frames, masked, reserved bits, no UTF-8, half a close code.
            [0x81, 0x7f, 0, 0, 1, 0, 0, 0, 0, 0], [0x81, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x01, 0x03, 0x61, 0x61, 0x61, 0x80, 0x7d],
            [0x81, 0x81, 1, 2, 3, 4, 5], [0xc1, 0x01, 0x61], [0x81, 0x01, 0xff], [0x88, 0x01, 0x03], [0x80, 0x01, 0x61], [0x83, 0x00],
        ] as [[UInt8]]) func framesThatBreakTheProtocolEndIt(frames: [UInt8]) async throws
    {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, .sends(frames), on: loop)
            let ear = try await ear(on: loop, limit: 100)
            guard case .violation = await ear.end() else {
                Issue.record("must be a violation")
                return
            }
            #expect(await ear.holds { $0.messages.isEmpty && $0.ends.count == 1 })
            await daemon.wait { $0.closed == 1 }
        }
    }

    @Test func aSilentServerIsGivenUp() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, .silent, on: loop)
            let ear = try await ear(on: loop, opening: .milliseconds(10))
            #expect(await ear.end() == .lost("it did not answer in time"))
            await daemon.wait { $0.closed == 1 }
        }
    }

    @Test func aServerThatFallsSilentIsGivenUp() async throws {
        try await withLoop { loop in
            _ = try await FakeDaemon.start(path, .deaf, on: loop)
            let ear = try await ear(on: loop, ping: .milliseconds(5), pong: .milliseconds(5))
            #expect(await ear.end() == .lost("it stopped answering"))
        }
    }

    /// Without pings of its own, so that it is the probe that finds out.
    @Test func aProbeFindsASilentServer() async throws {
        try await withLoop { loop in
            _ = try await FakeDaemon.start(path, .deaf, on: loop)
            let ear = try await ear(on: loop, pong: .milliseconds(5))
            await ear.wait { $0.isOpen }
            await ear.run { $0.transport.probe() }
            #expect(await ear.end() == .lost("it stopped answering"))
        }
    }

    @Test func aProbeLeavesALivingServerAlone() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, on: loop)
            let ear = try await ear(on: loop)
            await ear.wait { $0.isOpen }
            await ear.run {
                $0.transport.probe()
                $0.transport.send(bytes(#"{"id":1,"method":"initialize"}"#))
            }
            await ear.wait { $0.messages.count == 1 }
            #expect(await ear.holds { $0.ends.isEmpty })
            await daemon.closeProperly()
            #expect(await ear.end() == .lost("the daemon is leaving"))
        }
    }

    @Test func aServerThatLeavesWithoutAWord() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, on: loop)
            let ear = try await ear(on: loop)
            await ear.wait { $0.isOpen }
            await daemon.die()
            #expect(await ear.end() == .lost("it has gone without a word"))
        }
    }

    @Test func closingBeforeItIsOpenEndsItToo() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, .silent, on: loop)
            let ear = try await ear(on: loop)
            await ear.run { $0.transport.close() }
            #expect(await ear.end() == .closedHere)
            await ear.run {
                $0.transport.send(bytes("late"))
                $0.transport.probe()
                $0.transport.close()
                $0.transport.start()
            }
            #expect(await ear.run { $0.ends.count } == 1)
            _ = daemon
        }
    }

    @Test(arguments: [(1000, true), (0, true), (1001, false), (65_534, false), (nil, false)] as [(UInt32?, Bool)])
    func onlyTheUsersOwnDaemonIsTrusted(user: UInt32?, isTrusted: Bool) {
        #expect(SocketTransport.trusts(user, own: 1000) == isTrusted)
    }
}
