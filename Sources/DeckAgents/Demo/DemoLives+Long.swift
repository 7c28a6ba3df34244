/// The two tasks that work for minutes without asking, and what forks and new tasks do.
extension DemoLife {
    static let importer = DemoLife(
        title: "Demo: port the importer to async", context: 21,
        scenes: [
            DemoScene(
                "Port the importer to async functions. Its callers may change.",
                [
                    .list(
                        "Sources/Import", "First an overview of the importer and of who calls it.",
                        "Importer.swift\nReader.swift\nRecord.swift\nQueue.swift"),
                    .read(
                        "Sources/Import/Importer.swift",
                        "Importer owns a queue and three callbacks. The callbacks are what async functions replace.",
                        "func run(done: @escaping (Result<Int, Error>) -> Void)"),
                    .read(
                        "Sources/Import/Reader.swift",
                        "Reader calls back once for each record; that becomes a sequence that its reader can stop.",
                        "var onRecord: ((Record) -> Void)?"),
                    .read(
                        "Sources/Import/Queue.swift", "The queue only guards a counter. An actor does that without locks.",
                        "private let lock = NSLock()"),
                    .list("Sources/App", "Now the callers, so that none is forgotten.", "App.swift\nImportCommand.swift\nImportView.swift"),
                    .read(
                        "Sources/App/ImportView.swift", "The view cancels by a flag. With tasks the cancellation comes for free.",
                        "var isCancelled = false"),
                    .read("Tests/Import/ImporterTests.swift", "The tests wait with expectations; they get shorter.", "wait(for: [done], timeout: 5)"),
                ],
                answer: """
                    The importer is ported: one actor, one sequence, no callbacks and no lock. Five callers are changed, and the tests lost \
                    80 lines.
                    """),
            DemoScene(
                "Read files in parallel where that helps.",
                [
                    .read(
                        "Sources/Import/Reader.swift", "I look at what one file costs: opening, decoding, checking.",
                        "for try await record in records"),
                    .list("Fixtures", "Decoding is most of it, so files can be decoded side by side.", "small.csv\nlarge.csv\nbroken.csv"),
                    .read(
                        "Sources/Import/Importer.swift", "The order of records matters to the report, so results are put back in order.",
                        "actor Importer"),
                    .read("Sources/Import/Record.swift", "A record is a value, which makes it safe to hand over.", "struct Record: Sendable"),
                    .list("Sources/Report", "The report is the only one who cares about the order.", "Report.swift"),
                    .read("Sources/Report/Report.swift", "It sorts by itself. One thing less to do.", "records.sort()"),
                ],
                answer: "Files are decoded side by side, at most as many as there are cores. The large fixture takes a third of the time."),
        ])

    static let memoryLeak = DemoLife(
        title: "Demo: find the memory leak", context: 47,
        scenes: [
            DemoScene(
                "The service grows by about 2 MB an hour. Find out what it keeps.",
                [
                    .list(
                        "Sources/Service", "I make a list of everything that lives as long as the service.",
                        "Cache.swift\nSessions.swift\nListener.swift\nLog.swift"),
                    .read(
                        "Sources/Service/Cache.swift", "The cache has a limit, and it is kept. Not this one.",
                        "while entries.count > limit { removeOldest() }"),
                    .read(
                        "Sources/Service/Sessions.swift", "Sessions are removed when they end. But what if they never begin?",
                        "func begin(_ id: ID)"),
                    .read(
                        "Sources/Service/Listener.swift", "Here connections are entered before they have said who they are.",
                        "waiting[id] = Connection(id)"),
                    .read("Tests/Service/ListenerTests.swift", "No test closes a connection that has said nothing.", "func closesAfterHello()"),
                    .list("logs", "If that is it, the growth follows the scanners of the network.", "monday.log\ntuesday.log"),
                    .read("logs/tuesday.log", "It does: 40 silent connections an hour, 50 KB each.", "closed without a word"),
                ],
                answer: """
                    Found: connections that close before they say who they are stay in Listener.waiting. They are removed now, and a test \
                    closes a thousand of them.
                    """),
            DemoScene(
                "Is that all? It still grows a little.",
                [
                    .read("Sources/Service/Log.swift", "What is left is slow, so I look at what is added once for each day.", "files.append(name)"),
                    .list("logs", "The log keeps the names of all its files.", "monday.log\ntuesday.log\nwednesday.log"),
                    .read(
                        "Sources/Service/Cache.swift", "And the cache once more, for keys that never come again.",
                        "statistics[key, default: 0] += 1"),
                    .read("Sources/Service/Sessions.swift", "Statistics are kept for each key, also for those that left the cache.", "statistics"),
                    .list("Tests/Service", "I look for a test of the statistics.", "CacheTests.swift\nListenerTests.swift"),
                    .read("Tests/Service/CacheTests.swift", "There is one, for a single key.", "func countsHits()"),
                ],
                answer: """
                    Two small ones: names of old log files, and statistics of keys that left the cache. Both are dropped now; a day of load \
                    grows by nothing.
                    """),
        ])

    /// What a fork goes through.
    static let fork = DemoLife(
        title: "Demo: another way", context: 30,
        scenes: [
            DemoScene(
                prompt: "Try it in another way and compare.",
                opening: [
                    .list("Sources", "I take a step back and look for the smallest change that would do.", "App\nImport\nService\nReport"),
                    .read("docs/architecture.md", "The documentation names a place for it.", "One folder for each concern."),
                ],
                question: .run(
                    "git worktree add ../another-way", "I would do this in a folder of its own, so that both ways stand side by side.",
                    "Preparing worktree"),
                accepted: .end(answer: "The other way is done in its own folder: fewer lines, one more file. I would keep this one."),
                declined: .end(answer: "Without a folder of its own I only sketched it: fewer lines, one more file. The sketch is in this answer.")),
        ])

    /// What a new task goes through that nobody asked anything.
    static let newTask = DemoLife(
        title: "Demo: a new task", context: 3,
        scenes: [
            DemoScene(
                prompt: "Have a look around and tidy up a little.",
                opening: [
                    .list(".", "I look around first.", "README.md\nPackage.swift\nSources\nTests"),
                    .read("README.md", "Two links in the README lead nowhere.", "See docs/install.md"),
                ],
                question: .run("swift package describe", "I would like to know which parts nobody uses. This only reads.", "14 targets, 1 unused"),
                accepted: .end(answer: "Two links are repaired, and one target that nobody used is proposed for removal."),
                declined: .end(answer: "Two links are repaired. Which parts are unused is left open, as I was not to look.")),
        ])

    /// What answers a person who asks the demo something. It repeats nothing of the question.
    static func visitor(prompt: String) -> DemoScene {
        DemoScene(
            prompt, [],
            answer: """
                This is the demo of Codex Deck. Nobody has read your message: no model is asked here, nothing leaves this computer, and no file of \
                it is read or changed. Start the node without --demo and sign in with `decknode login` to get real answers.
                """)
    }
}
