/// The four tasks that ask a person.
extension DemoLife {
    static let loginTest = DemoLife(
        title: "Demo: fix the flaky login test", context: 12,
        scenes: [
            DemoScene(
                prompt: "The login test fails about once in ten runs. Find out why and fix it.",
                opening: [
                    .list("Tests/Login", "I start with the test and what it waits for.", "LoginTests.swift\nLoginFixtures.swift\nFakeClock.swift"),
                    .read(
                        "Tests/Login/LoginTests.swift",
                        "The name of the test says that a session ends after a while. Let me see how it measures that.",
                        "func sessionEnds() async throws {\n    try await Task.sleep(for: .milliseconds(200))\n    #expect(session.isOver)\n}"),
                ],
                question: .run(
                    "swift test --filter LoginTests --repeat 50",
                    """
                        The test sleeps for 200 ms and hopes that the session has ended by then. I would like to run it fifty times to see \
                        how often it fails.
                        """,
                    "50 runs, 4 failures"),
                accepted: .end(
                    .read(
                        "Tests/Login/FakeClock.swift", "Four of fifty failed. I hand the test the fake clock, so that nothing has to be waited for.",
                        "final class FakeClock { func advance(by: Duration) }"),
                    answer: """
                        Fixed: the test moves the fake clock instead of sleeping. Fifty runs in a row passed, and it takes 3 ms instead of \
                        200.
                        """),
                declined: .end(
                    .read(
                        "Tests/Login/FakeClock.swift", "Then without running it: I read how other tests tell the time.",
                        "final class FakeClock { func advance(by: Duration) }"),
                    answer: """
                        I have not run anything. From reading: the test sleeps and hopes. A patch that uses FakeClock is in the answer; \
                        whether it holds is for you to run.
                        """)),
            DemoScene(
                prompt: "Are there more tests that sleep?",
                opening: [
                    .list("Tests", "I look through the other tests for waits.", "Login\nImport\nReports\nSync"),
                    .read("Tests/Sync/SyncTests.swift", "Sync is the likeliest place.", "try await Task.sleep(for: .seconds(1))"),
                ],
                question: .run(
                    "swift test --filter SyncTests",
                    "There is one in the sync tests that waits for a whole second. May I run them to see what depends on it?",
                    "12 tests passed in 1.4 s"),
                accepted: .end(answer: "One more: SyncTests waits a second for a retry. With the fake clock all twelve pass in 40 ms."),
                declined: .end(answer: "One more: SyncTests waits a second. I left it as it is, since I could not check a change to it.")),
        ],
        setback: .fail(text: "The tests have run.", reason: "The demo lost its pretended connection; the next turn goes on."))

    static let releaseNotes = DemoLife(
        title: "Demo: write release notes", context: 34,
        scenes: [
            DemoScene(
                prompt: "Write the notes for the coming release.",
                opening: [
                    .read(
                        "CHANGELOG.md", "I gather what has changed since the last one.",
                        "## Unreleased\n- Imports are read in parallel\n- Sessions end when they should"),
                    .list("docs/releases", "And how earlier notes look.", "2.3.md\n2.4.md\n2.5.md"),
                ],
                question: .ask(
                    "Whom are the notes for?",
                    "The earlier ones differ in tone, so I would rather ask.",
                    ["People who use the program", "Developers"]),
                accepted: .end(
                    .read("docs/releases/2.5.md", "For people who use it, then: what they notice, in their words.", "What is new in 2.5"),
                    answer: "The notes are written: three things people will notice, one they have to do, and thanks to four contributors."),
                declined: .end(
                    .read("docs/api.md", "For developers, then: what changes for their code.", "import(_:options:)"),
                    answer: "The notes are written for developers: two new functions, one that is deprecated, and how to move over.")),
            DemoScene(
                prompt: "Shorten them to what fits on one screen.",
                opening: [
                    .read("docs/releases/2.6.md", "I count what there is.", "41 lines"),
                    .read("docs/style.md", "And look at what the house style says about length.", "Say what changed for the reader first."),
                ],
                question: .ask("May the list of small repairs go?", "It takes up half of the page.", ["Leave it out", "Keep it"]),
                accepted: .end(answer: "Eighteen lines now. The small repairs are in the changelog, which the notes link to."),
                declined: .end(answer: "Twenty-six lines now: the repairs stay, in one paragraph instead of a list.")),
        ],
        setback: .fail(text: "I have the list.", reason: "The demo's pretended model stopped early; the next turn goes on."))

    static let schema = DemoLife(
        title: "Demo: upgrade the database schema", context: 58,
        scenes: [
            DemoScene(
                prompt: "Bring the test database to the new schema.",
                opening: [
                    .list("migrations", "I look at which steps are missing.", "0041_orders.sql\n0042_invoices.sql\n0043_drop_legacy.sql"),
                    .read("migrations/0043_drop_legacy.sql", "The last one removes something, so I read it first.", "DROP TABLE legacy_orders;"),
                ],
                question: .run(
                    "bin/migrate --database test --to 43",
                    "Step 43 drops the table legacy_orders, which has no rows in the test database. I need your word before I run it.",
                    "41 -> 42 ok\n42 -> 43 ok"),
                accepted: .end(
                    .read("migrations/status", "Both steps went through. I check that nothing is left over.", "test: 43 of 43"),
                    answer: "The test database is at version 43. The table legacy_orders is gone; a copy is in backups/."),
                declined: .fail(
                    .read("docs/migrations.md", "Then I look for a way that removes nothing.", "Steps cannot be left out."),
                    text: "Steps cannot be left out, so without number 43 the database stays at 41.",
                    reason: "The migration was declined, so the schema is as it was.")),
            DemoScene(
                prompt: "Does everything still read the invoices?",
                opening: [
                    .list("Sources/Invoices", "I look for whoever names the old columns.", "Invoice.swift\nInvoiceQuery.swift"),
                    .read("Sources/Invoices/InvoiceQuery.swift", "Here is one.", "SELECT total_cents FROM invoices"),
                ],
                question: .run(
                    "swift test --filter Invoice", "The query names a column that is called amount now. May I run its tests?",
                    "9 tests, 1 failure"),
                accepted: .end(answer: "One query used the old name; it is changed, and all nine tests pass."),
                declined: .end(answer: "One query uses the old name. I changed it, but no test has seen the change.")),
        ],
        setback: .fail(
            .read("migrations/status", "I look at how far it came.", "test: 41 of 43"),
            text: "The second step stopped half-way and was taken back.",
            reason: "The pretended database was locked by somebody; the next turn tries again."))

    static let payments = DemoLife(
        title: "Demo: review the payment module", context: 71,
        scenes: [
            DemoScene(
                prompt: "Review the payment module before we ship it.",
                opening: [
                    .list("Sources/Payments", "I read the module from the outside in.", "Payment.swift\nRefund.swift\nRounding.swift"),
                    .read("Sources/Payments/Rounding.swift", "Rounding is where such modules go wrong.", "func rounded(_ value: Double) -> Double"),
                ],
                question: .run(
                    "swift test --filter RoundingTests",
                    "Amounts are binary fractions here. I would like to run the tests with a case that I think fails.",
                    "expected 0.30, got 0.30000000000000004"),
                accepted: .end(
                    .read("Sources/Payments/Refund.swift", "As I thought. Refunds share the function.", "let back = rounded(paid - fee)"),
                    answer: """
                        Three findings. The one to fix first: amounts are Double, and 0.1 + 0.2 is refunded wrongly. The test that shows it \
                        is in the review.
                        """),
                declined: .end(
                    .read("Sources/Payments/Refund.swift", "Then from reading alone.", "let back = rounded(paid - fee)"),
                    answer: "Three findings, none of them tried out. The first: amounts are Double, which cannot hold most of them exactly.")),
            DemoScene(
                prompt: "Look at the error handling too.",
                opening: [
                    .read("Sources/Payments/Payment.swift", "I follow each failure to where somebody sees it.", "catch { return nil }"),
                    .list("Tests/Payments", "One is swallowed. Is it tested?", "PaymentTests.swift"),
                ],
                question: .run(
                    "swift test --filter PaymentTests", "It is not. May I run the others to see what they cover?",
                    "21 tests passed, 61 % of lines"),
                accepted: .end(answer: "One failure is swallowed in Payment.swift; the caller takes it for success. No test goes there."),
                declined: .end(answer: "One failure is swallowed in Payment.swift. I cannot say whether a test would notice.")),
        ],
        setback: .fail(text: "The review is half done.", reason: "The demo's pretended model was too busy; the next turn goes on."))
}
