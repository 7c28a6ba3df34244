import CBenchmarkFloor
import Glibc
import JSON

/// Measures one row in a fresh process, so that no row sees the memory, the caches or the threads of another.
enum RowProcess {
    static let argument = "--measure"

    /// The parent's side: the median over the repetitions of `row`.
    static func run(_ row: Row, _ conditions: Conditions) -> Result<[Measurement], BenchmarkError> {
        var runs: [[Measurement]] = []
        for _ in 0..<row.repetitions(conditions) {
            do { runs.append(try once(row, conditions)) } catch { return .failure(error) }
        }
        let names = runs.first?.map(\.quantity) ?? []
        return .success(names.compactMap { name in Measurement.median(runs.compactMap { $0.first { $0.quantity == name } }) })
    }

    private static func once(_ row: Row, _ conditions: Conditions) throws(BenchmarkError) -> [Measurement] {
        let child = try ChildProgram([argument, row.rawValue] + conditions.arguments)
        let output = child.readToEnd()
        guard child.wait() == 0, let list = (try? JSONParser().parse(output))?.array else { throw BenchmarkError("its process gave no result") }
        return list.compactMap(Measurement.init)
    }

    /// The child's side.
    static func measure(_ arguments: [String]) throws {
        guard let row = arguments.first.flatMap(Row.init) else { throw BenchmarkError("There is no such row.") }
        let result = try row.measure(Conditions(arguments: Array(arguments.dropFirst())))
        let bytes = JSONValue.array(result.map(\.json)).encoded()
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// This program started again, with pipes to it.
final class ChildProgram {
    private let pid: pid_t
    private var input: Int32
    private let output: Int32
    private var exitStatus: Int32?

    init(_ arguments: [String]) throws(BenchmarkError) {
        var (input, output): (Int32, Int32) = (-1, -1)
        pid = CStrings.with([Conditions.ownPath] + arguments) { floor_spawn($0, &input, &output) }
        (self.input, self.output) = (input, output)
        if pid < 0 { throw BenchmarkError("this program could not be started again") }
    }

    /// The next line of its output, without the line break; `nil` at the end.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == 0x0a { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(output, &chunk, chunk.count), count > 0 { all += chunk[..<count] }
        return all
    }

    /// Sends one byte, on which the other side goes on.
    func go() { _ = write(input, "\n", 1) }

    func endInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Ends its input and waits for its end.
    ///
    /// - Returns: 0 when it succeeded.
    @discardableResult
    func wait() -> Int32 {
        if let exitStatus { return exitStatus }
        endInput()
        var status: Int32 = -1
        waitpid(pid, &status, 0)
        close(output)
        exitStatus = status
        return status
    }
}

enum CStrings {
    /// Lends `strings` as C has them: pointers with a null behind the last.
    static func with<Result>(_ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Result) rethrows -> Result {
        var pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        return try pointers.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("the array holds at least its end") }
            return try body(base)
        }
    }
}
