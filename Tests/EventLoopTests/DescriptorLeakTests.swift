import Glibc
import Testing

@testable import EventLoop

/// In a process of its own: other tests open and close descriptors meanwhile.
struct DescriptorLeakTests {
    @Test func everythingClosesWhatItOpened() async {
        await #expect(processExitsWith: .success) {
            try await useEverything()
            let before = entries("/proc/self/fd").count
            for _ in 0..<20 { try await useEverything() }
            let after = entries("/proc/self/fd").count
            if after != before { print("descriptors before: \(before), after: \(after)") }
            exit(after == before ? 0 : 1)
        }
    }
}

private func useEverything() async throws {
    let folder = try TemporaryFolder()
    let address = try SocketAddress(unixPath: folder.path + "/s")
    try await withLoop { loop in
        let unix = try await connectedPair(loop, address)
        await unix.client.tell { $0.write([1]); $0.close() }
        _ = await unix.server.closed()
        _ = try await connectedPair(loop, SocketAddress("127.0.0.1:0"))   // left open: the loop's end closes it
        _ = try StreamListener(address, on: loop)   // never started
        _ = try? await StreamSocket.connect(to: SocketAddress(unixPath: folder.path + "/none"), timeout: .seconds(1), on: loop)
        _ = try? await ChildProcess.run("/nowhere", timeout: .seconds(1), on: loop)
        _ = try await ChildProcess.run("/bin/sh", ["-c", "echo a"], input: [1, 2], timeout: .seconds(30), on: loop)
        _ = try await ChildProcess.run("/bin/sleep", ["9"], input: [1], timeout: .milliseconds(5), on: loop)
        let source = await onLoop(loop) { try? SignalSource([.windowChange], on: loop) { _ in } }
        await onLoop(loop) { source?.cancel() }
        let listener = try StreamListener(address, on: loop)
        await onLoop(loop) {
            listener.onAccept = { _ in }   // not kept: closed at once
            do { try listener.start() } catch { exit(2) }
        }
        let dropped = try await StreamSocket.connect(to: address, timeout: .seconds(5), on: loop)
        _ = await onLoop(loop) { Ear(dropped) }.closed()
        await onLoop(loop) { listener.close() }
        // A child that was killed is reaped by the loop; wait for that.
        while waitid(P_ALL, 0, nil, WEXITED | WNOHANG | WNOWAIT) == 0 { await turns(loop, 1) }
    }
}
