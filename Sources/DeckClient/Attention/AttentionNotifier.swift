import EventLoop
import Glibc
import Log
import Notifications
import RelayProtocol

/// Turns events and the followed task into desktop notifications, and takes them back when they hold no more.
///
/// `@unchecked Sendable`: used on its loop's thread only, which the sender's members check.
final class AttentionNotifier: @unchecked Sendable {
    private let sender: NotifySend
    private let onOpen: (TaskIdentity) -> Void
    private var settings = ClientSettings()
    private var told = ToldEvents()
    private var followed: (task: TaskIdentity, words: DesktopNotification)?
    private let started = ContinuousClock.now

    /// On the loop.
    ///
    /// - Parameter onOpen: Called on the loop when a button was pressed. It may show the task and nothing else: a press on a
    ///   notification never decides anything.
    init(loop: EventLoop, logger: Logger, environment: [String: String], onOpen: @escaping @Sendable (TaskIdentity) -> Void) {
        self.onOpen = onOpen
        sender = NotifySend(environment: environment.map { "\($0.key)=\($0.value)" }, loop: loop, logger: logger)
        sender.assumeIsolated { sender in sender.onAction = { [weak self] key in self?.pressed(key) } }
    }

    /// New events, each once, after ``update(_:)`` was called with them.
    func tell(_ events: [AttentionEvent]) {
        guard settings.notifications else { return }
        for event in events {
            guard let key = told.tell(event) else { continue }
            post(AttentionWords.notification(event, key: key, titles: settings.showTaskTitles))
        }
    }

    /// Takes the state after each change.
    func update(_ state: ClientState) {
        settings = state.settings
        guard settings.notifications else { return withdrawAll() }
        for key in told.settle(state.attention) { withdraw(key) }
        follow(state.follow)
    }

    func stop() { sender.assumeIsolated { $0.stop() } }

    private func follow(_ view: FollowView?) {
        guard let view else {
            if followed != nil { withdraw(AttentionWords.followKey) }
            followed = nil
            return
        }
        // At the start nothing is heard yet: that the task is only last known would be told a moment before it is not.
        if followed == nil, !view.isLive, .now - started < .milliseconds(Follow.freshness) { return }
        let words = AttentionWords.notification(view, titles: settings.showTaskTitles, clock: Self.clock)
        guard followed?.words != words || followed?.task != view.task else { return }
        followed = (view.task, words)
        post(words)
    }

    private func withdrawAll() {
        for key in told.clear() { withdraw(key) }
        follow(nil)
    }

    private func pressed(_ key: String) {
        if let task = told.task(ofKey: key) ?? AttentionWords.task(ofKey: key) { return onOpen(task) }
        if key == AttentionWords.followKey, let followed { onOpen(followed.task) }
    }

    private func post(_ notification: DesktopNotification) { sender.assumeIsolated { $0.post(notification) } }
    private func withdraw(_ key: String) { sender.assumeIsolated { $0.withdraw(key) } }

    private static func clock(_ time: UnixMilliseconds) -> String {
        var seconds = time_t(time.value / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        return "\(parts.tm_hour):" + (parts.tm_min < 10 ? "0" : "") + "\(parts.tm_min)"
    }
}
