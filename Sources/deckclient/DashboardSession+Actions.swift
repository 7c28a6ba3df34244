import DeckClient
import EventLoop
import Pairing
import RelayProtocol
import TerminalUI

/// Does what the dashboard asks for, and tells it what came of it.
///
/// `@unchecked Sendable`: used on its session's loop only.
final class DashboardActions: @unchecked Sendable {
    weak var dashboard: Dashboard?
    private let session: ClientSession
    private let environment: ClientEnvironment

    /// Whether the engine has said which nodes there are.
    private var hasHeard: Bool

    init(session: ClientSession, environment: ClientEnvironment) throws {
        self.session = session
        self.environment = environment
        hasHeard = try ClientStore(environment).profiles().profiles.isEmpty
    }

    /// An engine that is only found or about to end knows no nodes, which is not the same as that there are none. On the loop.
    func isKnown(_ state: ClientState) -> Bool {
        hasHeard = hasHeard || !state.nodes.isEmpty
        return hasHeard
    }

    /// On the loop; returns before it is done.
    func carryOut(_ effect: DashboardEffect) {
        let session = session
        switch effect {
        // Receipts tell how it goes.
        case .perform(let request): Task { _ = await session.perform(request) }
        case .apply(let change): Task { await session.apply(change) }
        case .edit(let edit): Task { await self.carryOut(edit) }
        case .test(let profile): Task { await self.test(profile) }
        case .pair(let link): Task { await self.pair(link) }
        case .quit, .redraw, .bell, .copy: break
        }
    }

    private func post(_ message: DashboardMessage) { session.loop.execute { [weak self] in self?.dashboard?.post(message) } }

    // MARK: - Settings

    private func carryOut(_ edit: SettingEdit) async {
        do {
            try await session.change { try Self.apply(edit, to: &$0) }
        } catch {
            post(.receipt(ReceiptLine("\(error)", .failure)))
        }
    }

    private static func apply(_ edit: SettingEdit, to document: inout SettingsDocument) throws {
        switch edit {
        case .set(let key, let word):
            guard let setting = ClientSetting.named(key) else { throw SettingsError.unknown(key: key) }
            document.set(setting, to: try word.map { try setting.value(ofWord: $0) })
        case .assign(let keycap, let slot): change(&document) { $0.assign(keycap, to: slot, in: $0.active) }
        case .resetLayout: change(&document) { $0.reset($0.active) }
        case .importKeys(let layout): change(&document) { _ = $0.importKeys(of: layout) }
        }
    }

    private static func change(_ document: inout SettingsDocument, _ body: (inout LayoutBook) -> Void) {
        var layouts = document.settings().settings.layouts
        body(&layouts)
        document.set(layouts: layouts)
    }

    // MARK: - Pairing

    private func pair(_ text: String) async {
        do {
            let link = try PairingLink(text)
            let stored = try await PairingCommands.store(PairingCommands.profile(of: link), token: link.token.secret, environment)
            await session.apply(.profiles(renewed: stored.profile.id))
            let remark = stored.remark.map { " \($0)" } ?? ""
            post(.paired(ReceiptLine("Paired with \(stored.profile.name).\(remark)", .success)))
        } catch {
            post(.paired(ReceiptLine("\(error)", .failure)))
        }
    }

    // MARK: - Test

    private func test(_ id: String) async {
        post(.tested(id, await outcome(of: id)))
    }

    private func outcome(of id: String) async -> NodeTest {
        do {
            let store = ClientStore(environment)
            guard let profile = try store.profiles()[id] else { return .failed("This node is not paired any more.") }
            guard let key = ClientStore.tokenKey(id), let token = try await store.secrets().store.lookup(key) else {
                return .failed("The token is missing; pair it again.")
            }
            let started = ContinuousClock.now
            switch await ConnectionTest.run(NodeLink.target(of: profile, token: token), loop: session.loop) {
            case .success: return .answered(milliseconds: Int((ContinuousClock.now - started) / .milliseconds(1)))
            case .failure(let error): return .failed(error.sentence)
            }
        } catch {
            return .failed("\(error)")
        }
    }
}
