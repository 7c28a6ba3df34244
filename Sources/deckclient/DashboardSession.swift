import CommandLineKit
import DeckClient
import EventLoop
import Log
import RelayProtocol
import TerminalUI

/// `deckclient watch` full screen: a session and a dashboard on one loop.
enum DashboardSession {
    /// - Parameter showing: A task whose detail is shown first.
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment, showing: TaskIdentity? = nil) async throws {
        var environment = environment
        // A line of log in the middle of the screen helps nobody; what matters is shown in the dashboard itself.
        environment.logger = .silent
        let session = try ClientSession(.dashboard, environment: environment)
        try await session.start()
        let theme = await theme(invocation, session, environment)
        let colored = ColorPolicy.automatic.allowsColor(environment: environment.variables, isTerminal: true)
        let glyphs: GlyphSet = Terminal.isUTF8(environment: environment.variables) ? .unicode : .ascii
        let failure = await session.runDashboard(theme: theme, colored: colored, glyphs: glyphs, showing: showing, environment: environment)
        await session.stop()
        session.shutdownLoops()
        if let failure { throw failure }
    }

    /// What the command says, else the settings, else the terminal.
    private static func theme(_ invocation: Invocation, _ session: ClientSession, _ environment: ClientEnvironment) async -> Theme {
        if let theme = invocation.option("theme").flatMap(Theme.init(rawValue:)) { return theme }
        return switch await session.state.settings.theme {
        case .dark: .dark
        case .light: .light
        case .automatic: TerminalBackground.theme(environment: environment.variables)
        }
    }
}

extension ClientSession {
    /// Shows the dashboard until it is left.
    fileprivate func runDashboard(
        theme: Theme, colored: Bool, glyphs: GlyphSet, showing: TaskIdentity?, environment: ClientEnvironment
    ) async -> (any Error)? {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let now = environment.now
        let actions: DashboardActions
        let dashboard: Dashboard
        do {
            actions = try DashboardActions(session: self, environment: environment)
            dashboard = try Dashboard(loop: loop, theme: theme, colored: colored, glyphs: glyphs, now: now) { effect in
                if effect == .quit { return end.finish() }
                actions.carryOut(effect)
            }
        } catch {
            return error
        }
        actions.dashboard = dashboard
        let chosen = state.settings.theme
        observe { state in
            guard actions.isKnown(state) else { return }
            // One that was changed meanwhile counts at once; whether the terminal is dark was asked before it was taken over.
            dashboard.use(state.settings.theme == chosen ? theme : Theme(rawValue: state.settings.theme.rawValue) ?? theme)
            dashboard.post(.state(state, now: now()))
        }
        observeReceipts { [weak self] receipt in
            let shows = self?.assumeIsolated { $0.state.settings.shows(receipt.step) } ?? true
            let rings = self?.assumeIsolated { $0.state.settings.bell } ?? false
            let isSuccess = if case .finished(.success, _, _) = receipt.step { true } else { false }
            if shows { dashboard.post(.receipt(ReceiptLine(receipt))) } else if rings, isSuccess { dashboard.ring() }
        }
        observeShow { dashboard.post(.show($0)) }
        if let showing { dashboard.post(.show(showing)) }
        for await _ in ends {}
        observe { _ in }
        observeReceipts { _ in }
        observeShow { _ in }
        actions.dashboard = nil
        dashboard.close()
        return nil
    }
}
