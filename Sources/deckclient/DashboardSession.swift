import CommandLineKit
import DeckClient
import EventLoop
import Glibc
import Log
import RelayProtocol
import TerminalUI

/// `deckclient watch` full screen: a session and a dashboard on one loop.
enum DashboardSession {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        guard try !ClientStore(environment).profiles().profiles.isEmpty else {
            throw CommandFailure("No node is paired. Run `decknode pair` on a computer and `deckclient pair` here.")
        }
        var environment = environment
        // A line of log in the middle of the screen helps nobody; what matters is shown in the dashboard itself.
        environment.logger = .silent
        let session = try ClientSession(.dashboard, environment: environment)
        try await session.start()
        let theme = invocation.option("theme").flatMap(Theme.init(rawValue:)) ?? .dark
        let colored = ColorPolicy.automatic.allowsColor(environment: environment.variables, isTerminal: true)
        let glyphs: GlyphSet = Terminal.isUTF8(environment: environment.variables) ? .unicode : .ascii
        let failure = await session.runDashboard(theme: theme, colored: colored, glyphs: glyphs, now: environment.now)
        await session.stop()
        session.shutdownLoops()
        if let failure { throw failure }
    }
}

extension ClientSession {
    /// Shows the dashboard until it is left.
    fileprivate func runDashboard(
        theme: Theme, colored: Bool, glyphs: GlyphSet, now: @escaping @Sendable () -> UnixMilliseconds
    ) async -> (any Error)? {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let dashboard: Dashboard
        do {
            dashboard = try Dashboard(loop: loop, theme: theme, colored: colored, glyphs: glyphs, now: now) { [weak self] effect in
                if effect == .quit { return end.finish() }
                self?.assumeIsolated { $0.carryOut(effect) }
            }
        } catch {
            return error
        }
        observe { state in
            dashboard.post(.board(state.board, now: now()))
            dashboard.post(.nodes(state.nodes.map { NodeSummary(name: $0.profile.name, badge: $0.host.map(HostBadge.init), health: $0.health) }))
        }
        observeReceipts { [weak self] receipt in
            let shows = self?.assumeIsolated { $0.state.settings.shows(receipt.step) } ?? true
            if shows { dashboard.post(.receipt(ReceiptLine(receipt))) }
        }
        for await _ in ends {}
        observe { _ in }
        observeReceipts { _ in }
        dashboard.close()
        return nil
    }

    private func carryOut(_ effect: DashboardEffect) {
        let request: ClientRequest
        switch effect {
        case .quit, .redraw: return
        case .reconnect: return reconnect()
        case .open(let task): request = .open(task)
        case .approve(let task): request = .approve(task)
        case .decline(let task): request = .decline(task)
        case .keycap(let keycap, let task): request = .keycap(keycap, task)
        }
        // Receipts tell how it goes.
        Task { _ = await self.perform(request) }
    }
}

extension ReceiptLine {
    /// The words for a step of a command.
    fileprivate init(_ receipt: ReceiptRecord) {
        let kind: Kind =
            switch receipt.step {
            case .sending, .confirmedByHost: .progress
            case .finished(.success, _, _): .success
            case .finished(.warning, _, _): .warning
            case .finished(.failure, _, _): .failure
            }
        self.init(receipt.sentence, kind)
    }
}
