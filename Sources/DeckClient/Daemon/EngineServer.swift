import EventLoop
import Files
import Glibc
import Log
import RelayProtocol
import ServiceManager

/// The socket through which the commands and dashboards of this user look at the engine. Other users are turned away.
///
/// Confined to the engine's loop; not Sendable.
final class EngineServer {
    static let maximumScreens = 64

    private let engine: ClientEngine
    private let listener: StreamListener
    private let logger: Logger
    private var screens: [ObjectIdentifier: EngineScreen] = [:]

    /// - Throws: ``FileError`` for a folder that is not private, ``BindError`` when somebody answers there, ``SystemError``.
    init(path: String, manager: ServiceManager? = nil, engine: ClientEngine, loop: EventLoop, logger: Logger) throws {
        if let end = path.lastIndex(of: "/") { try PrivateDirectory.ensure(String(path[..<end])) }
        self.engine = engine
        self.logger = logger
        let address = try SocketAddress(unixPath: path)
        listener = try manager?.listener(named: "engine", at: address, on: loop) ?? StreamListener(address, on: loop)
        listener.onAccept = { [unowned self] in accept($0) }
        listener.onTrouble = { logger.warning("\($0)") }
        try listener.start()
    }

    /// Nobody new may look any more; whoever does goes on.
    func stopAccepting() { listener.close() }

    func close() {
        listener.close()
        for screen in screens.values { screen.close() }
        screens = [:]
    }

    private func accept(_ socket: StreamSocket) {
        guard let peer = socket.peerCredentials, peer.userID == geteuid() else {
            logger.logOnce("engine-peer", .warning, "A program of another user was turned away from the socket of the engine.")
            return socket.close()
        }
        guard screens.count < Self.maximumScreens else {
            logger.logOnce("engine-screens", .warning, "More than \(Self.maximumScreens) programs look at the engine; further ones are turned away.")
            return socket.close()
        }
        let screen = EngineScreen(socket, engine: engine)
        let key = ObjectIdentifier(screen)
        screens[key] = screen
        screen.onEnd = { [weak self] in self?.screens[key] = nil }
        screen.start()
    }
}

/// One program that looks at the engine.
///
/// Confined to the engine's loop; not Sendable.
private final class EngineScreen {
    /// A reader that is further behind than this gets the next frame when it has caught up.
    private static let backlog = 256 << 10

    var onEnd: (() -> Void)?
    private let socket: StreamSocket
    private let engine: ClientEngine
    private var buffer = LineBuffer(limit: EngineProtocol.maximumRequestBytes)
    private var observer: Int?
    private var shower: Int?
    private var sent: EngineFrame?
    private var pending: EngineFrame?
    private var commands: Set<Int> = []

    init(_ socket: StreamSocket, engine: ClientEngine) {
        self.socket = socket
        self.engine = engine
    }

    func start() {
        socket.onBytes = { [weak self] bytes in self?.receive(bytes) }
        socket.onDrained = { [weak self] in self?.catchUp() }
        socket.onClose = { [self] _ in end() }
        socket.start()
        send(.hello(version: EngineProtocol.version))
    }

    func close() { socket.close() }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let lines = buffer.receive(bytes) else { return socket.close() }
        for line in lines {
            guard let (id, request) = EngineRequest.read(line) else { return socket.close() }
            answer(request, id: id)
        }
    }

    private func answer(_ request: EngineRequest, id: Int64) {
        switch request {
        case .subscribe(let shows): subscribe(id, shows: shows)
        case .perform(let request): perform(request, id: id)
        case .interrupt: engine.assumeIsolated { [commands] in $0.interruptCommands(commands) }
        case .change(let change):
            // The screen lives as long as its socket, which answers are only written to.
            let reply = Reply(screen: self)
            Task { [engine] in
                await engine.apply(change)
                engine.loop.execute { reply.screen.send(.done(id: id)) }
            }
        case .showIfOpen(let task): showIfOpen(task, id: id)
        case .settle(let milliseconds):
            let reply = Reply(screen: self)
            Task { [engine] in
                _ = await engine.settled(within: .milliseconds(milliseconds))
                engine.loop.execute { reply.screen.send(.done(id: id)) }
            }
        }
    }

    private func showIfOpen(_ task: TaskIdentity, id: Int64) {
        let isShown = engine.assumeIsolated { $0.showIfOpen(task) }
        send(.shown(id: id, isShown))
    }

    /// Carries the screen through a task back to its loop.
    ///
    /// `@unchecked Sendable`: opened on the loop only.
    private struct Reply: @unchecked Sendable { let screen: EngineScreen }

    private func subscribe(_ id: Int64, shows: Bool) {
        guard observer == nil else { return send(.done(id: id)) }
        let reply = Reply(screen: self)
        engine.assumeIsolated { engine in
            let observer = engine.observe { frame, _ in reply.screen.push(frame) }
            let shower = shows ? engine.addShower { reply.screen.send(.show($0)) } : nil
            reply.screen.observer = observer
            reply.screen.shower = shower
        }
        send(.done(id: id))
    }

    private func perform(_ request: ClientRequest, id: Int64) {
        let reply = Reply(screen: self)
        let number = engine.assumeIsolated { engine in
            engine.begin(request) { outcome in
                // What the command changed comes first.
                engine.loop.later { reply.screen.send(.outcome(id: id, outcome)) }
            }
        }
        commands.insert(number)
    }

    private func push(_ frame: EngineFrame) {
        guard socket.pendingBytes <= Self.backlog else {
            pending = frame
            return
        }
        pending = nil
        guard let delta = frame.delta(from: sent) else { return }
        sent = frame
        send(.frame(delta))
    }

    private func catchUp() { if let pending { push(pending) } }

    private func send(_ reply: EngineReply) { if socket.isOpen { socket.write(reply.line) } }

    private func end() {
        let (observer, shower) = (observer, shower)
        engine.assumeIsolated { engine in
            if let observer { engine.stopObserving(observer) }
            if let shower { engine.removeShower(shower) }
        }
        (self.observer, self.shower) = (nil, nil)
        socket.onDrained = nil
        onEnd?()
    }
}
