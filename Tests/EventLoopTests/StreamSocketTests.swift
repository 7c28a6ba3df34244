import Glibc
import Testing

@testable import EventLoop

struct StreamSocketTests {
    @Test(arguments: Family.allCases) func carriesBytesBothWays(family: Family) async throws {
        try await withPair(family) { client, server in
            await client.tell { $0.write(Array("ping".utf8)) }
            await server.wait { $0.bytes == Array("ping".utf8) }
            await server.tell { socket in Array("pong".utf8).withUnsafeBytes { socket.write($0) } }
            await client.wait { $0.bytes == Array("pong".utf8) }
        }
    }

    /// Far more than the kernel buffers: most of it waits, and goes out in order as the peer reads.
    @Test(arguments: [Family.ipv4, .unix]) func manyMegabytesArriveWhole(family: Family) async throws {
        try await withPair(family) { client, server in
            let bytes = pattern(24 << 20)
            await client.tell { socket in
                var rest = bytes[...]
                var size = 1
                while !rest.isEmpty {
                    let piece = Array(rest.prefix(size))
                    rest = rest.dropFirst(size)
                    size = size * 3 % 200_001 + 1
                    if size % 2 == 0 { socket.write(piece) } else { piece.withUnsafeBytes { socket.write($0) } }
                }
                #expect(socket.pendingBytes > 0)
                #expect(socket.stalledSince != nil)
            }
            await server.wait { $0.count == bytes.count }
            await client.wait { $0.drains > 0 }
            #expect(await onLoop(server.socket.loop) { server.bytes == bytes })
            #expect(await client.tell { $0.pendingBytes == 0 && $0.stalledSince == nil })
        }
    }

    @Test(arguments: [Family.ipv4, .unix]) func aPausedReaderHoldsTheWriterBack(family: Family) async throws {
        try await withPair(family) { client, server in
            let total = 32 << 20
            let stalled = await client.tell { socket -> ContinuousClock.Instant? in
                server.socket.pauseReading()
                socket.write([UInt8](repeating: 7, count: total))
                return socket.stalledSince
            }
            #expect(stalled != nil)
            await turns(client.socket.loop, 5)
            let (waiting, received) = await client.tell { ($0.pendingBytes, server.count) }
            #expect(waiting > total / 2)
            #expect(received == 0)
            await server.tell {
                server.keepsBytes = false
                $0.resumeReading()
            }
            await server.wait { $0.count == total }
            await client.wait { $0.drains == 1 }
        }
    }

    @Test func progressMovesWhileThePeerReads() async throws {
        try await withPair(.unix) { client, server in
            let before = await client.tell { socket in
                server.socket.pauseReading()
                socket.write([UInt8](repeating: 7, count: 8 << 20))
                return socket.stalledSince
            }
            await server.tell { socket in
                let listen = socket.onBytes
                socket.onBytes = {
                    listen?($0)
                    if server.count > 1 << 20 { server.socket.pauseReading() }
                }
                socket.resumeReading()
            }
            await server.wait { $0.count > 1 << 20 }
            await turns(client.socket.loop, 3)
            let after = await client.tell { $0.stalledSince }
            let (early, late) = try (#require(before), #require(after))
            #expect(late > early)
        }
    }

    @Test(arguments: Family.allCases) func endOfFileAndLocalCloseAreToldOnceEach(family: Family) async throws {
        try await withPair(family) { client, server in
            await client.tell { socket in
                socket.write([1, 2, 3])
                socket.close()
                socket.close()
                #expect(!socket.isOpen)
                #expect(client.reasons.isEmpty, "onClose must not come from inside close()")
                socket.write([4])
            }
            #expect(await client.closed() == .local)
            #expect(await server.closed() == .endOfFile)
            await turns(client.socket.loop, 2)
            await client.tell { _ in
                #expect(server.bytes == [1, 2, 3])
                #expect(client.reasons == [.local])
                #expect(server.reasons == [.endOfFile])
            }
        }
    }

    @Test func aResetIsToldAsReset() async throws {
        try await withPair(.ipv4) { client, server in
            await client.tell { socket in
                var option = linger(l_onoff: 1, l_linger: 0)   // closing sends RST
                setsockopt(socket.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                socket.close()
            }
            #expect(await server.closed() == .reset)
        }
    }

    /// The peer says why it leaves and goes; we notice by a failing write. Its last words still come.
    @Test(arguments: [Family.ipv4, .unix]) func lastWordsAreReadAfterAWriteHasFailed(family: Family) async throws {
        try await withPair(family) { client, server in
            await client.tell { socket in
                server.socket.write(Array("bye".utf8))
                server.socket.close()
                for _ in 0..<100 { socket.write([UInt8](repeating: 1, count: 1000)) }
                #expect(client.reasons.isEmpty)
            }
            _ = await client.closed()
            await client.tell { _ in #expect(client.bytes == Array("bye".utf8)) }
        }
    }

    @Test func writingToAPeerThatIsGoneClosesAPausedSocketToo() async throws {
        try await withPair(.unix) { client, server in
            await client.tell { socket in
                socket.pauseReading()
                server.socket.close()
            }
            // More than once: a child that another test is just starting may hold the other end for a moment.
            while await client.tell({ $0.write([1]); return $0.isOpen }) { await turns(client.socket.loop, 1) }
            #expect(await client.closed() == .reset)
        }
    }

    @Test func aPausedSocketWhosePeerHungUpDoesNotSpin() async throws {
        try await withPair(.unix) { client, server in
            await client.tell { socket in
                socket.pauseReading()
                server.socket.write([1])
                server.socket.close()
            }
            await turns(client.socket.loop, 3)
            await client.tell {
                #expect(client.reasons.isEmpty)
                $0.resumeReading()
            }
            #expect(await client.closed() == .endOfFile)
            await client.tell { _ in #expect(client.bytes == [1]) }
        }
    }

    @Test(arguments: Family.allCases) func halfCloseLetsTheAnswerThrough(family: Family) async throws {
        try await withPair(family) { client, server in
            await client.tell { socket in
                server.socket.onEndOfInput = {
                    server.socket.write(Array("answer".utf8))
                    server.socket.close()
                }
                socket.write([UInt8](repeating: 1, count: 3 << 20))
                socket.shutdownWrite()
                socket.write([9])
            }
            #expect(await client.closed() == .endOfFile)
            await client.tell { _ in
                #expect(client.bytes == Array("answer".utf8))
                #expect(server.count == 3 << 20)
            }
        }
    }

    /// Unread input would turn a plain close into a reset, which may overtake the last bytes sent.
    @Test(arguments: [Family.ipv4, .unix]) func lingeringDeliversTheLastBytesDespiteUnreadInput(family: Family) async throws {
        try await withPair(family) { client, server in
            let last = pattern(4 << 20)
            await client.tell { socket in
                server.socket.pauseReading()
                socket.write([UInt8](repeating: 1, count: 50_000))
                server.socket.write(last)
                server.socket.closeLingering(for: .seconds(30))
                server.socket.write([1])
            }
            #expect(await client.closed() == .endOfFile)
            #expect(await server.closed() == .local)
            await client.tell { _ in
                #expect(client.bytes == last)
                #expect(server.count == 0, "bytes that come after a close are not handed over")
            }
        }
    }

    @Test func lingeringEndsAtItsLimit() async throws {
        try await withPair(.ipv4) { client, server in
            await client.tell { socket in
                client.socket.pauseReading()
                server.socket.closeLingering(for: .milliseconds(5))
            }
            #expect(await server.closed() == .local)
        }
    }

    @Test func closingInsideOnBytesStopsEverything() async throws {
        try await withPair(.unix) { client, server in
            await client.tell { socket in
                server.socket.onBytes = { _ in server.socket.close() }
                socket.write([1])
                socket.write([2])
            }
            #expect(await server.closed() == .local)
            // A unix socket closed over unread bytes resets; TCP would too.
            let reason = await client.closed()
            #expect(reason == .endOfFile || reason == .reset)
        }
    }

    @Test func theLoopsEndClosesSocketsAndFreesTheirOwners() async throws {
        let loop = try EventLoop(name: "test")
        let folder = try TemporaryFolder()
        var pair: (client: Ear, server: Ear)? = try await connectedPair(loop, Family.unix.address(in: folder))
        weak let client = pair?.client
        weak let server = pair?.server
        loop.shutdown()
        #expect(pair?.client.reasons == [.local])
        #expect(pair?.server.reasons == [.local])
        pair = nil
        #expect(client == nil)
        #expect(server == nil)
    }

    @Test func knowsWhoIsOnTheOtherEnd() async throws {
        try await withPair(.unix) { client, server in
            let who = await server.tell { $0.peerCredentials }
            #expect(who == PeerCredentials(processID: getpid(), userID: geteuid(), groupID: getegid()))
        }
        try await withPair(.ipv4) { client, server in
            #expect(await server.tell { $0.peerCredentials } == nil)
            let (local, peer) = await client.tell { ($0.localAddress, $0.peer) }
            #expect(server.socket.peer == local)
            #expect(await server.tell { $0.localAddress } == peer)
            #expect(peer?.host == "127.0.0.1")
        }
    }

    private func withPair(_ family: Family, _ body: (Ear, Ear) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await withLoop { loop in
            let pair = try await connectedPair(loop, family.address(in: folder))
            try await body(pair.client, pair.server)
        }
    }
}

/// Lets the loop poll a few times.
func turns(_ loop: EventLoop, _ count: Int) async {
    for _ in 0..<count {
        await withCheckedContinuation { done in
            loop.execute { loop.schedule(after: .milliseconds(1)) { done.resume() } }
        }
    }
}
