import CBenchmarkFloor
import DeckClient
import EventLoop
import Glibc
import Log
import RelayProtocol

/// A week of the client's engine as it is, with sixteen computers: only the wall clock and the connections are not real.
enum WeekRow {
    private static let week: Int64 = 7 * 24 * 3600 * 1000
    private static let computers = 16
    /// Changes between two looks at what is kept; then what is to be written is waited for, as the real week would leave time for it.
    private static let stride = 64

    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        // In memory where that is possible: each change waits for the disk, which is not what is measured.
        let folder = try TemporaryFolder.make(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
        defer { floor_remove_tree(folder) }
        let count = conditions.count(200_000, quick: 60_000)
        let world = WeekWorld(computers: computers, step: week / Int64(count))
        let session = try session(in: folder, world)
        let started = processTime()
        let sizes = try waitFor { try await live(session, world, count, state: folder + "/.local/state/codex-deck/client") }
        let time = processTime() - started
        session.shutdownLoops()
        return [
            Measurement("events kept", Double(sizes.events), .count, target: .value(100)),
            Measurement("events made", Double(sizes.lastEvent), .count),
            Measurement("receipts kept", Double(sizes.receipts), .count, target: .value(20)),
            Measurement("files at most", Double(sizes.files), .bytes, target: .value(5 * 1_048_576)),
            Measurement("resident after a quarter", Double(sizes.quarter), .bytes),
            // Whatever leaked at each change would come 150,000 times: 14 bytes of it are more than this.
            Measurement("resident growth since", Double(max(0, sizes.end - sizes.quarter)), .bytes, target: .value(2 * 1_048_576)),
            Measurement("CPU of a change", time / Double(count), .nanoseconds),
        ]
    }

    private struct Sizes {
        var events = 0
        var lastEvent: Int64 = 0
        var receipts = 0
        var files: Int64 = 0
        var quarter: Int64 = 0
        var end: Int64 = 0
    }

    private static func session(in folder: String, _ world: WeekWorld) throws -> ClientSession {
        let variables = ["HOME": folder, "XDG_RUNTIME_DIR": folder, "CODEX_DECK_SECRETS": "file", "PATH": "/usr/bin:/bin"]
        var environment = try ClientEnvironment(variables: variables, logger: .silent)
        environment.now = { world.now }
        environment.connection = { target, loop in world.connect(target, on: loop) }
        let store = ClientStore(environment)
        try waitFor {
            let secrets = try await store.secrets().store
            for number in 0..<computers {
                let address = try NodeAddress("ws://127.0.0.1:\(WeekWorld.firstPort + number)")
                let new = NodeProfile(id: "node-\(number)", name: "Node \(number)", address: address, route: .remote)
                let profile = try store.update { try $0.add(new) }
                guard let key = ClientStore.tokenKey(profile.id) else { continue }
                try await secrets.store(Secret(String(repeating: "t", count: 43)), for: key)
            }
        }
        return try ClientSession(.once, environment: environment)
    }

    private static func live(_ session: ClientSession, _ world: WeekWorld, _ count: Int, state folder: String) async throws -> Sizes {
        var sizes = Sizes()
        try await session.start()
        _ = await session.settled(within: .seconds(10))
        for first in Swift.stride(from: 0, to: count, by: stride) {
            await session.loop.value { () throws(Never) in
                for number in first..<min(first + stride, count) { world.change(number) }
            }
            try await act(session, first / stride)
            await session.settleFiles()
            let state = await session.state
            sizes.events = max(sizes.events, state.attention.count)
            sizes.lastEvent = max(sizes.lastEvent, state.attention.first?.id ?? 0)
            sizes.receipts = max(sizes.receipts, state.receipts.count)
            sizes.files = max(sizes.files, try size(of: folder))
            if first <= count / 4 { sizes.quarter = floor_resident_memory(getpid()) }
        }
        sizes.end = floor_resident_memory(getpid())
        await session.stop()
        return sizes
    }

    /// What a user does now and then.
    private static func act(_ session: ClientSession, _ round: Int) async throws {
        let state = await session.state
        if round % 8 == 0 { _ = await session.perform(.control(.keycap(.fast), .selected)) }
        if round % 100 == 0, let task = state.board.tasks.first?.identity { _ = await session.perform(.open(task)) }
        if round % 40 == 0 { await session.apply(.mark(state.attention.prefix(5).map(\.id), read: true)) }
        if round % 300 == 0 { await session.apply(.follow(state.board.tasks.last?.identity)) }
    }

    /// All files of the state, the log of the database among them.
    private static func size(of folder: String) throws -> Int64 {
        guard let directory = opendir(folder) else { throw BenchmarkError("There is no folder \(folder).") }
        defer { closedir(directory) }
        var total: Int64 = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            var status = stat()
            if stat(folder + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG { total += Int64(status.st_size) }
        }
        return total
    }
}
