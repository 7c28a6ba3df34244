/// How long ``AppServerSource`` waits for what the daemon may or may not say. Whoever pressed a key is told what came of it within ten seconds.
struct AppServerLimits: Sendable {
    /// Until the daemon confirms an answer to one of its requests.
    var confirmation = Duration.seconds(5)
    /// Somebody else's refusal of an approved command ends it at once; one that runs does not end within this time, or ends well.
    var contradiction = Duration.milliseconds(250)
    /// A refused command ends at once, but for a moment the daemon may be busy; if it does not end, somebody else let it run.
    var refusal = Duration.seconds(2)
    /// Until a request reaches a node that has just begun to listen.
    var arrival = Duration.seconds(2)
    /// Until a new setting is confirmed; the daemon says nothing about one that changes nothing.
    var settings = Duration.seconds(3)
    /// Until a turn that was accepted begins.
    var turn = Duration.seconds(5)
    /// A command of the owner's that still runs after this time counts as begun well.
    var play = Duration.seconds(7)
    /// After which the daemon ends the owner's command.
    var playTimeout = Duration.seconds(600)
    /// Until what the daemon had no time to tell is asked for again.
    var retry = Duration.seconds(2)
    /// How often the account's limits are asked for: the daemon passes that question on over the network.
    var accountInterval = Duration.seconds(300)
}
