import Foundation
import Testing

@testable import CommandLineKit

/// Runs a tool on a text; what it wrote to both outputs, and how it ended.
func tool(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> (output: String, status: Int32) {
    let process = Process()
    let incoming = Pipe()
    let outgoing = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = incoming
    process.standardOutput = outgoing
    process.standardError = outgoing
    try process.run()
    incoming.fileHandleForWriting.write(Data(input.utf8))
    try incoming.fileHandleForWriting.close()
    let output = String(decoding: outgoing.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (output, process.terminationStatus)
}

struct ManPageTests {
    private let page = ManPage.render(sample, date: "2026-01-31")

    @Test func hasTheSectionsOfAManualPage() {
        #expect(page.hasPrefix(".TH \"DECK\" \"1\" \"2026\\-01\\-31\" \"deck 1.2.3\" \"User Commands\"\n.SH \"NAME\"\ndeck \\- Watch over tasks\n"))
        let sections = page.matches(of: /(?m)^\.SH "(.*)"$/).map { String($0.1) }
        #expect(sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXAMPLES", "EXIT STATUS"])
        let commands = page.matches(of: /(?m)^\.SS "(.*)"$/).map { String($0.1) }
        #expect(
            commands == [
                "pair", "relay", "relay enable", "relay disable", "open", "move", "follow", "follow stop", "look", "join", "version", "help",
            ])
    }

    @Test func isFormattedWithoutAWarning() throws {
        let result = try tool(["groff", "-man", "-ww", "-Tutf8", "-K", "utf8"], input: page, environment: ["GROFF_NO_SGR": "1"])
        #expect(result.status == 0)
        #expect(!result.output.contains("warning"))
        let text = result.output.replacing(/.\u{8}/, with: "")
        for part in ["deck pair [OPTIONS] [NAME]", "--log-level LEVEL", "--port PORT", "(1 to 65535; default: 8790)", "100% -- \\ 'quoted'."] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test func textIsNeverTakenForAMacro() {
        var roff = Roff()
        roff.text(".so /etc/passwd")
        roff.text("'br")
        roff.macro("B", "a\"b", "c\nd")
        #expect(roff.source == "\\&.so /etc/passwd\n\\&'br\n.B \"a\\(dqb\" \"c d\"\n")
    }
}
