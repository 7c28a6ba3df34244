import EventLoop
import Glibc
import RelayProtocol

/// The dashboard at work: it reads keys, keeps a ``DashboardScreen``, draws what differs, and hands effects to its owner.
///
/// While it is open it owns the process's ``SignalSource``: hang-up, interrupt and terminate come out as ``DashboardEffect/quit``,
/// Ctrl-Z stops and a changed size is followed. Nothing else may write to the terminal, the log included.
///
/// `@unchecked Sendable`: used on its loop's thread only, which the loop's members check.
public final class Dashboard: @unchecked Sendable {
    private let loop: EventLoop
    private let terminal: CursesTerminal
    private let now: () -> UnixMilliseconds
    private let onEffect: (DashboardEffect) -> Void
    private var screen: DashboardScreen
    private var input: Watch?
    private var signals: SignalSource?
    private var clock: Timer?
    private var isClosed = false
    private var willDraw = false
    private var emptyReads = 0
    /// Where the clock of keys begins.
    private let started = ContinuousClock.now

    /// Wake-ups without a byte after which the terminal counts as gone.
    private static let patience = 16

    /// Takes the terminal over. On the loop.
    ///
    /// - Parameters:
    ///   - glyphs: Unicode ones only when the environment asks for UTF-8; where the system then cannot, ASCII ones are used.
    ///   - now: The wall clock.
    ///   - onEffect: Called on the loop. After ``DashboardEffect/quit`` call ``close()``.
    /// - Throws: ``CursesTerminal/Unavailable`` without a usable terminal, ``SystemError`` when the process has a signal source already
    ///   (EBUSY) or is out of descriptors.
    public init(
        loop: EventLoop, theme: Theme, colored: Bool, glyphs: GlyphSet, now: @escaping () -> UnixMilliseconds,
        onEffect: @escaping (DashboardEffect) -> Void
    ) throws {
        loop.preconditionOnLoop()
        self.loop = loop
        self.now = now
        self.onEffect = onEffect
        terminal = try CursesTerminal(theme: theme, colored: colored, wantsUnicode: glyphs.isUnicode)
        screen = DashboardScreen(size: terminal.size, glyphs: terminal.isUnicode ? glyphs : .ascii, now: now(), localTime: LocalTime.here)
        do {
            // After ncurses set its own handlers, so that these count.
            let caught: Set<Signal> = [.interrupt, .terminate, .hangUp, .windowChange, .terminalStop, .resumed]
            signals = try SignalSource(caught, on: loop) { [weak self] in self?.handle($0) }
            input = try loop.watch(STDIN_FILENO, .readable) { [weak self] in self?.readKeys($0) }
        } catch {
            signals?.cancel()
            terminal.close()
            throw error
        }
        draw()
    }

    /// Gives the terminal back. May be called twice; messages that come later are ignored. On the loop, or when the loop has ended.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        // First the terminal: a signal that comes now finds it in order.
        terminal.close()
        input?.cancel()
        signals?.cancel()
        clock?.cancel()
    }

    /// Takes a message, and draws what it changed once the loop has handled what it handles now. On the loop.
    public func post(_ message: DashboardMessage) {
        guard !isClosed else { return }
        perform(screen.update(message))
        drawSoon()
    }

    /// Takes the colours of another theme. On the loop.
    public func use(_ theme: Theme) {
        guard !isClosed, terminal.use(theme) else { return }
        drawSoon()
    }

    /// Rings the terminal's bell. On the loop.
    public func ring() {
        if !isClosed { terminal.ring() }
    }

    private func readKeys(_ ready: Readiness) {
        let isEmpty = !terminal.hasInput
        while let input = terminal.nextInput() {
            switch input {
            case .key(let key): perform(screen.update(.key(key, at: Int64((ContinuousClock.now - started) / .milliseconds(1)))))
            case .paste(let text): perform(screen.update(.paste(text)))
            case .mouse(let event): perform(screen.update(.mouse(event)))
            case .suspend: suspend(withGroup: true)
            }
        }
        emptyReads = isEmpty ? emptyReads + 1 : 0
        if emptyReads > Self.patience || (isEmpty && !ready.isDisjoint(with: [.hungUp, .failed])) {
            input?.cancel()
            return onEffect(.quit)
        }
        drawSoon()
    }

    private func perform(_ effects: [DashboardEffect]) {
        for effect in effects where !isClosed {
            switch effect {
            case .redraw: terminal.invalidate()
            case .bell: terminal.ring()
            case .copy(let text): terminal.copy(text)
            case .perform, .apply, .edit, .test, .pair, .quit: onEffect(effect)
            }
        }
    }

    private func handle(_ signal: Signal) {
        switch signal {
        case .windowChange:
            terminal.resize()
            post(.resize(terminal.size))
        case .resumed:
            terminal.resume()
            post(.resize(terminal.size))
        case .terminalStop: suspend(withGroup: false)
        case .interrupt, .terminate, .hangUp: onEffect(.quit)
        }
    }

    private func suspend(withGroup: Bool) {
        terminal.suspend(withGroup: withGroup)
        post(.resize(terminal.size))
    }

    /// Several messages of one moment make one frame.
    private func drawSoon() {
        guard !willDraw, !isClosed else { return }
        willDraw = true
        loop.later { [weak self] in self?.draw() }
    }

    private func draw() {
        willDraw = false
        guard !isClosed else { return }
        terminal.draw(screen.render())
        armClock()
    }

    private func armClock() {
        clock?.cancel()
        guard let next = screen.nextChange else { return }
        clock = loop.schedule(after: .milliseconds(max(next.milliseconds(since: now()), 200))) { [weak self] in
            guard let self else { return }
            post(.clock(now()))
        }
    }
}
