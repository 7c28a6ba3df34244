import Glibc
import Testing

@testable import EventLoop

/// In processes of their own: dispositions belong to the whole process.
struct SignalSourceTests {
    @Test func deliversOnTheLoopAndRestoresAfterwards() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let loop = try EventLoop(name: "test")
            let seen = Box<[Signal]>([])
            let source = Box<SignalSource>()
            let opened = await onLoop(loop) {
                source.value = try? SignalSource(Set(Signal.allCases), on: loop) {
                    if loop.isOnLoop { seen.value?.append($0) }
                }
                return source.value != nil
            }
            guard opened else { exit(2) }
            for signal in [Signal.hangUp, .interrupt, .terminate, .windowChange, .terminalStop, .resumed] {
                kill(getpid(), signal.rawValue)
                while await onLoop(loop, { seen.value?.last }) != signal { await turns(loop, 1) }
            }
            await onLoop(loop) { source.value?.cancel() }
            kill(getpid(), SIGTERM)
            while true { await turns(loop, 1) }
        }
    }

    @Test func onlyOneAtATime() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop(name: "test")
            let codes = await onLoop(loop) { () -> [Int32] in
                func open() -> (SignalSource?, Int32) {
                    do throws(SystemError) {
                        return (try SignalSource([.windowChange], on: loop) { _ in }, 0)
                    } catch {
                        return (nil, error.code)
                    }
                }
                var first: (SignalSource?, Int32) = open()
                let second = open()
                first.0?.cancel()
                let codes = [first.1, second.1]
                first.0 = nil
                return codes + [open().1]
            }
            exit(codes == [0, EBUSY, 0] ? 0 : 1)
        }
    }
}
