import Files
import JSON
import Log
import Pairing
import Testing

@testable import DeckNode

struct DoctorTests {
    private let folder = TestFolder()

    private func environment() throws -> NodeEnvironment {
        try NodeEnvironment(
            variables: ["HOME": folder(""), "XDG_CONFIG_HOME": folder("config"), "XDG_RUNTIME_DIR": folder("run")], logger: .silent, needsSettings: false)
    }

    @Test func thePlaceOfTheStateIsWrittenTo() throws {
        folder.makeFolder("state")
        try Doctor.tryWriting(in: folder("state"))
        // Nothing is left in the way of the next look.
        try Doctor.tryWriting(in: folder("state"))
        #expect(throws: FileError.self) { try Doctor.tryWriting(in: folder("nowhere")) }
        #expect(throws: FileError.self) { try Doctor.tryWriting(in: "/proc") }
    }

    @Test(arguments: [
        (nil, Doctor.Verdict.good, "usual"), ("{}", .good, "can be used"), ("{\"titels\":1}", .note, "titels"), ("{", .problem, "not valid JSON"),
        ("{\"titles\":1}", .problem, "titles"),
    ] as [(String?, Doctor.Verdict, String)])
    func settingsAreAFinding(text: String?, verdict: Doctor.Verdict, words: String) throws {
        if let text { folder.put("config/codex-deck/node.json", text) }
        let finding = Doctor.settings(try environment())
        #expect(finding.verdict == verdict)
        #expect(finding.topic == "Settings" && finding.text.contains(words))
    }

    @Test func otherCommandsNeedSettings() {
        folder.put("config/codex-deck/node.json", "{")
        #expect(throws: NodeSettingsError.self) { try NodeEnvironment(variables: ["HOME": folder(""), "XDG_CONFIG_HOME": folder("config")], logger: .silent) }
    }

    @Test func theDemoUsesNoDaemon() {
        #expect(Doctor.daemon(.object(["demo": true]), installed: nil).text == "not used by the demo.")
        #expect(Doctor.daemon(nil, installed: nil).text == "known once a node runs.")
        let status = JSONValue.object(["demo": false, "sources": .object(["appServer": .object(["state": "connected", "version": "1.2.3"])])])
        #expect(Doctor.daemon(status, installed: "1.2.3").text == "connected, version 1.2.3.")
    }

    @Test func theFirewallHintNamesBothRules() {
        let text = Doctor.firewall(port: 47_700, from: "192.168.1.0/24")
        #expect(text.contains("proto tcp from 192.168.1.0/24 to any port 47700`"))
        #expect(text.contains("proto udp from 192.168.1.0/24 to any port 5353`"))
    }

    @Test(arguments: [(nil, false), (200, false), (10, true)] as [(Int?, Bool)])
    func aCodeThatScrollsAwayIsToldOf(rows: Int?, isTold: Bool) throws {
        let code = try QRCode(encoding: "codex-deck")
        let terminal = QRTerminal(columns: 200, rows: rows, characters: .halfBlocks, colors: .none, inverted: false)
        guard case .drawing(let drawing) = terminal.draw(code) else { return #expect(Bool(false), "it is drawn") }
        let remark = TerminalCode.remark(on: drawing, below: 5, rows: rows)
        let expected = "The code is \(drawing.lines.count) lines high and this terminal has 10: enlarge it, or use --png FILE."
        #expect(remark == (isTold ? expected : nil))
        // What follows it can push it out too.
        let height = drawing.lines.count
        guard !drawing.scrolls else { return }
        #expect(TerminalCode.remark(on: drawing, below: 5, rows: height + 6) == nil)
        #expect(TerminalCode.remark(on: drawing, below: 5, rows: height + 5)?.contains("are \(height + 5) lines high") == true)
    }
}
