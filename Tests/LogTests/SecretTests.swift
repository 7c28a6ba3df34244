import Log
import Testing

struct SecretTests {
    private struct Holder { var name = "node", token = Secret("canary-4711"), list = [Secret("canary-4711")] }

    @Test func noWayOfPrintingShowsTheText() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        dump(holder.token, to: &dumped)
        let optional: Secret? = holder.token
        let texts = [
            "\(holder.token)", String(describing: holder.token), String(reflecting: holder.token), "\(holder)", String(reflecting: holder),
            "\(optional as Any)", "\([holder.token])", "\(["key": holder.token])", dumped,
            "\(Mirror(reflecting: holder.token).children.map(\.value))",
        ]
        for text in texts { #expect(!text.contains("canary")) }
        #expect("\(holder.token)" == "[hidden]")
        #expect(holder.token.reveal() == "canary-4711")
    }

    @Test(arguments: [("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false), ("ab", "ba", false), ("é", "é", true)])
    func comparesTheWholeText(left: String, right: String, equal: Bool) {
        #expect((Secret(left) == Secret(right)) == equal)
        #expect(Secret(left).isEmpty == left.isEmpty)
    }
}
