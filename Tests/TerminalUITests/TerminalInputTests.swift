import Testing

@testable import TerminalUI

struct EscapeFilterTests {
    private func filtered(_ text: String) -> String {
        var filter = EscapeFilter()
        var result = ""
        for scalar in text.unicodeScalars {
            if let code = filter.take(scalar.value), let kept = Unicode.Scalar(code) { result.unicodeScalars.append(kept) }
        }
        if filter.end() != nil { result += "<esc>" }
        return result
    }

    @Test(
        "Sequences nobody asked for are no keys",
        arguments: [
            ("a1q", "a1q"), ("\u{1b}", "<esc>"), ("\u{1b}[200~x", "x"), ("\u{1b}]11;rgb:ffff/1111/aaaa\u{1b}\\b", "b"),
            ("\u{1b}]52;c;YWFh\u{07}b", "b"), ("\u{1b}[?62;4c1", "1"), ("\u{1b}P1$r0m\u{1b}\\1", "1"), ("\u{1b}OPz", "z"), ("\u{1b}az", "z"),
            ("\u{1b}[1;5A\u{1b}", "<esc>"), ("\u{1b}\u{1b}", "\u{1b}<esc>"), ("\u{1b}[12\u{1b}[5Aq", "q"),
        ])
    func drops(text: String, kept: String) { #expect(filtered(text) == kept) }

    @Test func aStringWithoutEndDoesNotSwallowEverything() {
        #expect(filtered("\u{1b}]" + String(repeating: "1", count: EscapeFilter.limit + 10)).count == 11)
    }
}

struct TerminalInputTests {
    /// What comes of it; `|` is a pause, `/` a long one.
    private func read(_ text: String) -> [String] {
        var input = TerminalInput()
        var (result, now): ([String], Int64) = ([], 5_000)
        for scalar in text.unicodeScalars {
            now += scalar == "/" ? TerminalInput.silence + 1 : 1
            if scalar == "|" || scalar == "/" {
                if input.end() != nil { result.append("<esc>") }
                continue
            }
            switch input.take(scalar.value, at: now) {
            case .key(let code): result.append(Unicode.Scalar(code).map(String.init) ?? "?")
            case .paste(let text): result.append("<\(text)>")
            case nil: break
            }
        }
        if input.end() != nil { result.append("<esc>") }
        return result
    }

    @Test(
        "What is pasted is no key",
        arguments: [
            ("a\u{1b}[200~ay\n\u{1b}[201~b", ["a", "<ay\n>", "b"]), ("\u{1b}[200~\u{1b}[201~", ["<>"]), ("\u{1b}[201~q", ["q"]),
            ("\u{1b}[200~a\u{1b}[200~b\u{1b}[201~", ["<ab>"]), ("\u{1b}[200~a\u{1b}[31mb\u{1b}[201~", ["<ab>"]),
            ("\u{1b}[200~ay|more\u{1b}|still\u{1b}[201~q", ["<aymorestill>", "q"]), ("\u{1b}[0200~a\u{1b}[201~", ["<a>"]),
            ("\u{1b}[200;1~a", ["a"]), ("\u{1b}[1200~a", ["a"]), ("\u{1b}[2000~a", ["a"]), ("\u{1b}[99999999999999999999~a", ["a"]),
            ("\u{1b}O200~a", ["a"]),
        ])
    func marksPastes(text: String, pieces: [String]) { #expect(read(text) == pieces) }

    @Test("A paste whose end is lost ends with an Escape that comes later") func lostEnd() {
        #expect(read("\u{1b}[200~abc/\u{1b}|q") == ["<esc>", "q"])
        #expect(read("\u{1b}[200~abc/q") == [])
    }

    @Test func isBounded() {
        let long = String(repeating: "a", count: TerminalInput.limit + 5)
        #expect(read("\u{1b}[200~" + long + "\u{1b}[201~q") == ["<" + long.dropLast(5) + ">", "q"])
    }
}

struct BackgroundReplyTests {
    @Test(
        "Light or dark",
        arguments: [
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\\u{1b}[?62c", Theme.light, true), ("\u{1b}]11;rgb:0000/0000/0000\u{07}\u{1b}[?1;2c", .dark, true),
            ("\u{1b}]11;rgb:f/f/e\u{07}", .light, false), ("\u{1b}]11;#10ff10\u{07}", .light, false),
            ("\u{1b}]11;rgba:1010/1010/4040/ffff\u{07}", .dark, false), ("\u{1b}[?62c", nil, true), ("", nil, false), ("\u{1b}", nil, false),
            ("\u{1b}]11;rgb:ffff/ffff", nil, false), ("\u{1b}]11;rgb:ffff/ffff\u{07}", nil, false), ("\u{1b}]11;rgb:fffff/f/f\u{07}", nil, false),
            ("\u{1b}]11;rgb:-1/f/f\u{07}", nil, false), ("\u{1b}]11;#\u{07}", nil, false), ("\u{1b}[", nil, false), ("\u{1b}]", nil, false),
        ] as [(String, Theme?, Bool)])
    func reads(text: String, theme: Theme?, isComplete: Bool) {
        let reply = BackgroundReply(Array(text.utf8))
        #expect(reply.theme == theme)
        #expect(reply.isComplete == isComplete)
    }

    @Test func whatWasTypedIsNoAnswer() { #expect(BackgroundReply(Array("q\u{1b}[?62c1".utf8)).rest == Array("q1".utf8)) }

    @Test(
        "The environment's word",
        arguments: [
            ("15;0", Theme.dark), ("0;15", .light), ("0;default;7", .light), ("0;8", .dark), ("x", nil), ("1;16", nil), (nil, nil),
        ] as [(String?, Theme?)])
    func environment(value: String?, theme: Theme?) { #expect(TerminalBackground.theme(colors: value) == theme) }
}

struct ClipboardTests {
    @Test("Base64", arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")])
    func encodes(text: String, encoded: String) { #expect(Clipboard.base64(Array(text.utf8)) == Array(encoded.utf8)) }
}
