import RelayProtocol
import Secrets

/// What the user set. ``ClientSetting/all`` tells every one of them.
public struct ClientSettings: Sendable, Equatable {
    public enum Receipts: String, Sendable, CaseIterable {
        /// Successes stay quiet.
        case minimal
        /// Every step of a command shows.
        case detailed
        case off
    }

    public enum Theme: String, Sendable, CaseIterable {
        /// Asked of the terminal.
        case automatic
        case dark, light
    }

    /// Desktop notifications.
    public var notifications = false
    /// Whether notifications tell the titles of tasks.
    public var showTaskTitles = false
    public var receipts = Receipts.minimal
    /// Failures of commands show also when receipts are off.
    public var alwaysShowCriticalErrors = true
    public var contextRings = true
    /// Ring the bell of the terminal when a command succeeded.
    public var bell = false
    public var theme = Theme.automatic
    /// ``SecretStorePreference/service`` refuses to keep tokens in files.
    public var secrets = SecretStorePreference.automatic
    /// The computer whose order of tasks and whose lower keys count; `nil` for the first paired.
    public var authority: HostID?
    public var layouts = LayoutBook()

    public init() {}
}
