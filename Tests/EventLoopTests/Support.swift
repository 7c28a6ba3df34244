import Glibc
import Synchronization

@testable import EventLoop

/// Runs `body` with a loop that is shut down afterwards.
func withLoop<Result>(name: String = "test", _ body: (EventLoop) async throws -> Result) async throws -> Result {
    let loop = try EventLoop(name: name)
    do {
        let result = try await body(loop)
        loop.shutdown()
        return result
    } catch {
        loop.shutdown()
        throw error
    }
}

/// Runs `body` on the loop and returns what it returns.
func onLoop<Result: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { done in loop.execute { done.resume(returning: body()) } }
}

/// Returns when the loop has run everything handed to it before.
func settle(_ loop: EventLoop) async { await onLoop(loop) {} }

/// A variable that a handler shares with its surroundings.
///
/// `@unchecked Sendable`: the tests touch it on one loop only, or after that loop has ended.
final class Box<Value>: @unchecked Sendable {
    var value: Value?
    init(_ value: Value? = nil) { self.value = value }
}

/// Raises a flag when it is freed.
final class Canary: Sendable {
    final class Flag: Sendable {
        private let raised = Mutex(false)
        var isSet: Bool { raised.withLock { $0 } }
        func set() { raised.withLock { $0 = true } }
    }
    let gone = Flag()
    func touch() {}
    deinit { gone.set() }
}

/// A pipe, closed with its owner.
final class Pipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        (reader, writer) = (ends[0], ends[1])
    }

    func put(_ byte: UInt8) {
        var byte = byte
        write(writer, &byte, 1)
    }

    func take() -> UInt8? {
        var byte: UInt8 = 0
        return read(reader, &byte, 1) == 1 ? byte : nil
    }

    deinit {
        close(reader)
        close(writer)
    }
}

/// The names in a folder.
func entries(_ folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}

/// The first line of a file; empty when there is none.
func line(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 256)
    guard fgets(&bytes, 256, file) != nil else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// A number that several threads change.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .relaxed) }
    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}
