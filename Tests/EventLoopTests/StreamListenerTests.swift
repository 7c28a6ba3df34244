import Glibc
import Testing

@testable import EventLoop

struct StreamListenerTests {
    /// An address of its own: a port of 127.0.0.1 may go to another test's client while it is free.
    @Test func aSecondListenerIsToldThatTheAddressIsInUse() async throws {
        try await withLoop { loop in
            let first = try StreamListener(SocketAddress("127.7.0.1:0"), on: loop)
            #expect(try #require(first.address.port) > 0)
            #expect(throws: BindError.addressInUse(first.address)) { try StreamListener(first.address, on: loop) }
            let address = first.address
            await onLoop(loop) { first.close() }
            // A child that another test is just starting may hold a copy of the first one for a moment.
            var again: StreamListener?
            while again == nil {
                do throws(BindError) {
                    again = try StreamListener(address, on: loop)
                } catch {
                    try #require(error == .addressInUse(address))
                    await turns(loop, 1)
                }
            }
        }
    }

    @Test func anAddressOfAnotherComputerIsNotAvailable() async throws {
        try await withLoop { loop in
            let foreign = try SocketAddress("192.0.2.1:0")
            #expect(throws: BindError.addressNotAvailable(foreign)) { try StreamListener(foreign, on: loop) }
        }
    }

    @Test func theSocketFileIsForItsOwnerOnlyWhateverTheUmask() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let old = umask(0)
            defer { umask(old) }
            let listener = try StreamListener(SocketAddress(unixPath: folder.path + "/s"), on: loop)
            var status = stat()
            #expect(lstat(folder.path + "/s", &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            await onLoop(loop) { listener.close() }
            #expect(entries(folder.path).isEmpty)
        }
    }

    @Test func aSocketFileLeftBehindIsReplaced() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let address = try SocketAddress(unixPath: folder.path + "/s")
            let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(address.withNative { bind(dead, $0, $1) } == 0)
            close(dead)
            #expect(entries(folder.path) == ["s"])
            let listener = try StreamListener(address, on: loop)
            _ = try await StreamSocket.connect(to: address, timeout: .seconds(5), on: loop)
            await onLoop(loop) { listener.close() }
        }
    }

    @Test func aSocketSomebodyAnswersIsLeftAlone() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let address = try SocketAddress(unixPath: folder.path + "/s")
            let first = try StreamListener(address, on: loop)
            #expect(throws: BindError.addressInUse(address)) { try StreamListener(address, on: loop) }
            #expect(entries(folder.path) == ["s"])
            await onLoop(loop) { first.close() }
        }
    }

    @Test func aSocketOfAServiceManagerIsTakenOverAndItsFileStays() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let address = try SocketAddress(unixPath: folder.path + "/s")
            let opened = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(opened) }
            #expect(address.withNative { bind(opened, $0, $1) } == 0)
            #expect(StreamListener(adopting: dup(opened), at: address, on: loop) == nil, "it does not listen yet")
            #expect(listen(opened, 5) == 0)
            #expect(try StreamListener(adopting: opened, at: SocketAddress(unixPath: folder.path + "/other"), on: loop) == nil)
            let descriptor = dup(opened)
            let listener = try #require(StreamListener(adopting: descriptor, at: address, on: loop))
            #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            _ = try await StreamSocket.connect(to: address, timeout: .seconds(5), on: loop)
            await onLoop(loop) { listener.close() }
            #expect(entries(folder.path) == ["s"])
        }
    }

    @Test func whatIsNoListeningStreamSocketIsNotTakenOver() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let address = try SocketAddress(unixPath: folder.path + "/s")
            let datagrams = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(datagrams) }
            #expect(address.withNative { bind(datagrams, $0, $1) } == 0)
            let pipe = try Pipe()
            for descriptor in [datagrams, pipe.reader, -1] { #expect(StreamListener(adopting: descriptor, at: address, on: loop) == nil) }
        }
    }

    @Test func closingRemovesOnlyItsOwnFile() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let address = try SocketAddress(unixPath: folder.path + "/s")
            let first = try StreamListener(address, on: loop)
            rename(folder.path + "/s", folder.path + "/moved")
            let second = try StreamListener(address, on: loop)
            await onLoop(loop) { first.close() }
            #expect(entries(folder.path).sorted() == ["moved", "s"])
            await onLoop(loop) { second.close() }
            #expect(entries(folder.path) == ["moved"])
        }
    }

    @Test func aFileThatIsNoSocketIsNotTouched() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let path = folder.path + "/s"
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            let address = try SocketAddress(unixPath: path)
            #expect(throws: BindError.notASocket(path)) { try StreamListener(address, on: loop) }
            unlink(path)
            symlink("/dev/null", path)
            #expect(throws: BindError.notASocket(path)) { try StreamListener(address, on: loop) }
            #expect(entries(folder.path) == ["s"])
        }
    }

    @Test(arguments: [mode_t(0o770), 0o702, 0o777, 0o1777]) func aFolderOthersCanWriteToIsRefused(mode: mode_t) async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            chmod(folder.path, mode)
            let address = try SocketAddress(unixPath: folder.path + "/s")
            #expect(throws: BindError.unsafeFolder(folder.path)) { try StreamListener(address, on: loop) }
            #expect(entries(folder.path).isEmpty)
        }
    }

    @Test func aMissingFolderIsNamed() async throws {
        try await withLoop { loop in
            let address = try SocketAddress(unixPath: "/tmp/no-such-folder-here/s")
            #expect(throws: BindError.unsafeFolder("/tmp/no-such-folder-here")) { try StreamListener(address, on: loop) }
        }
    }

    @Test func acceptsABurstLargerThanItsBatch() async throws {
        try await withLoop { loop in
            let listener = try StreamListener(SocketAddress("127.0.0.1:0"), backlog: 512, on: loop)
            let accepted = Counter()
            await onLoop(loop) { listener.onAccept = { _ in accepted.increment() } }
            let clients = try (0..<200).map { _ in try rawConnect(listener.address) }
            await onLoop(loop) { do { try listener.start() } catch { Issue.record(error) } }
            while accepted.value < 200 { await turns(loop, 1) }
            for client in clients { close(client) }
            await onLoop(loop) { listener.close() }
        }
    }

    @Test func tcpConnectionsAreSetToSendSmallMessagesAtOnce() async throws {
        try await withLoop { loop in
            let pair = try await connectedPair(loop, SocketAddress("127.0.0.1:0"))
            for socket in [pair.client.socket, pair.server.socket] {
                var value: Int32 = 0
                var size = socklen_t(4)
                getsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size)
                #expect(value == 1)
                #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
                #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
            }
        }
    }

    /// Runs in a process of its own, since it takes away all descriptors.
    @Test func outOfDescriptorsItPausesAndThenGoesOn() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop(name: "test")
            let listener = try StreamListener(SocketAddress("127.0.0.1:0"), on: loop)
            let (accepted, troubles) = (Counter(), Counter())
            await onLoop(loop) {
                listener.onAccept = { _ in accepted.increment() }
                listener.onTrouble = {
                    guard $0 == .exhausted(errno: EMFILE) else { return }
                    troubles.increment()
                }
            }
            let client = try rawConnect(listener.address)
            var taken: [Int32] = []
            while case let copy = dup(client), copy >= 0 { taken.append(copy) }
            await onLoop(loop) { do { try listener.start() } catch { exit(2) } }
            while troubles.value == 0 { await turns(loop, 1) }
            guard accepted.value == 0 else { exit(3) }
            for copy in taken { close(copy) }
            while accepted.value == 0 { await turns(loop, 1) }
            guard troubles.value == 1 else { exit(4) }
            exit(0)
        }
    }
}

/// A blocking connection made without the code under test.
func rawConnect(_ address: SocketAddress) throws -> Int32 {
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
    guard address.withNative({ connect(descriptor, $0, $1) }) == 0 else { throw SystemError.last("connect") }
    return descriptor
}
