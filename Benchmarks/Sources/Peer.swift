import CBenchmarkFloor
import Glibc

/// The clients of a row, in a process of their own: their work does not count, and it is the same for the node and for the floor.
///
/// Arguments: what to do, address, port, token (`-` for a floor that knows no authentication), and numbers that depend on it. It says
/// `ready` once its clients are in, waits for a line before each block of work, and answers each block with one line of numbers.
enum Peer {
    static let argument = "--peer"

    enum Work: String {
        /// count: keeps connections and throws away what comes.
        case drain
        /// count, mode, rounds: sends commands; quantiles come back.
        case commands
        /// rounds: opens and closes connections.
        case handshakes
        /// rounds, path: appends records and waits for their snapshots.
        case changes
        /// rounds, path: plays the Codex daemon at that socket, notifies the node and waits for its snapshots.
        case notifications
    }

    static let command =
        #"{"type":"command","protocol":1,"requestId":"bench-%07u","command":{"kind":"agent","slot":0,"threadKey":"\#(SampleSnapshot.key)","act":0}}"#

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 5, let work = Work(rawValue: arguments[0]), let port = Int32(arguments[2]) else {
            throw BenchmarkError("The peer's arguments are wrong.")
        }
        let place = Place(address: arguments[1], port: port, token: arguments[3] == "-" ? nil : arguments[3])
        let numbers = arguments[4...].compactMap { Int32($0) }
        switch work {
        case .drain: try drain(place, count: numbers[0])
        case .commands: try commands(place, count: numbers[0], mode: numbers[1], rounds: numbers[2])
        case .handshakes: try handshakes(place, rounds: numbers[0])
        case .changes: try changes(place, rounds: numbers[0], path: arguments[5])
        case .notifications: try notifications(place, rounds: numbers[0], path: arguments[5])
        }
    }

    struct Place {
        var address: String
        var port: Int32
        var token: String?

        /// Plain WebSocket is marked by a slash behind the address.
        func client() throws -> OpaquePointer {
            let isPlain = address.hasSuffix("/")
            let client = floor_client_open(isPlain ? String(address.dropLast()) : address, port, isPlain ? 0 : 1)
            guard let client else { throw BenchmarkError("The peer could not connect.") }
            if let token, floor_client_join(client, token, 1, 1) != 0 { throw BenchmarkError("The peer was not let in.") }
            return client
        }
    }

    private static func say(_ line: String) { Output.print(line + "\n") }

    private static func clients(_ place: Place, _ count: Int32) throws -> [OpaquePointer] {
        let clients = try (0..<count).map { _ in try place.client() }
        say("ready")
        return clients
    }

    private static func drain(_ place: Place, count: Int32) throws {
        var clients = try clients(place, count)
        say("\(floor_drain(&clients, count))")
    }

    private static func commands(_ place: Place, count: Int32, mode: Int32, rounds: Int32) throws {
        var clients = try clients(place, count)
        while readLine() != nil {
            var samples = [UInt64](repeating: 0, count: Int(count * rounds))
            guard floor_commands(&clients, count, mode, rounds, command, &samples) == 0 else { throw BenchmarkError("A command got no answer.") }
            sayQuantiles(samples)
        }
    }

    private static func handshakes(_ place: Place, rounds: Int32) throws {
        say("ready")
        while readLine() != nil {
            guard floor_handshakes(place.address, place.port, rounds, place.token) == 0 else { throw BenchmarkError("A handshake failed.") }
            say("done")
        }
    }

    private static func changes(_ place: Place, rounds: Int32, path: String) throws {
        let clients = try clients(place, 1)
        while readLine() != nil {
            var samples = [UInt64](repeating: 0, count: Int(rounds))
            // Longer than the shortest time between two snapshots, so that none waits for its turn.
            guard floor_changes(clients[0], path, rounds, 65, &samples) == 0 else { throw BenchmarkError("A change was not told of.") }
            sayQuantiles(samples)
        }
    }

    private static func notifications(_ place: Place, rounds: Int32, path: String) throws {
        var daemon = try ScriptedDaemon(path: path)
        let client = try clients(place, 1)[0]
        while readLine() != nil {
            var samples: [UInt64] = []
            for round in 0..<rounds {
                let isApproval = round % 2 == 0
                let start = ContinuousClock.now
                try daemon.notify(waitsForApproval: isApproval)
                let word = isApproval ? "awaiting-approval" : "awaiting-response"
                var found: Int32 = 0
                while found == 0 { found = floor_client_read(client, word, .max) }
                guard found > 0 else { throw BenchmarkError("A notification was not told of.") }
                samples.append(UInt64((ContinuousClock.now - start) / .nanoseconds(1)))
                // Longer than the shortest time between two snapshots, so that none waits for its turn.
                usleep(65_000)
            }
            sayQuantiles(samples)
        }
    }

    private static func sayQuantiles(_ samples: [UInt64]) {
        let values = samples.map { Double($0) }
        say("\(values.median) \(values.quantile(0.99)) \(values.max() ?? 0)")
    }
}

/// The parent's view of a peer.
struct PeerProcess {
    let child: ChildProgram

    /// - Parameter numbers: See ``Peer/Work``.
    init(_ work: Peer.Work, address: String = "127.0.0.1", port: Int, token: String?, _ arguments: [String]) throws {
        child = try ChildProgram([Peer.argument, work.rawValue, address, String(port), token ?? "-"] + arguments)
    }

    func waitUntilReady() throws {
        guard child.readLine() == "ready" else { throw BenchmarkError("the clients could not connect") }
    }

    /// Lets it do one block of work and returns its numbers.
    @discardableResult
    func work() throws -> [Double] {
        child.go()
        guard let line = child.readLine() else { throw BenchmarkError("the clients gave up") }
        return line.split(separator: " ").compactMap { Double($0) }
    }

    /// Ends it; a draining one says how many bytes came.
    @discardableResult
    func end() -> Double {
        child.endInput()
        defer { child.wait() }
        return child.readLine().flatMap { Double($0) } ?? 0
    }
}
