import Testing

@testable import ServiceManager

struct ServiceNoticeTests {
    private func text(_ state: ServiceNotice.State?, _ status: String? = nil) -> String {
        String(decoding: ServiceNotice(state: state, status: status).bytes, as: UTF8.self)
    }

    @Test func eachStateIsALineOfItsOwn() {
        #expect(text(.ready(processID: 77)) == "READY=1\nMAINPID=77\n")
        #expect(text(.reloading(monotonicMicroseconds: 5)) == "RELOADING=1\nMONOTONIC_USEC=5\n")
        #expect(text(.stopping) == "STOPPING=1\n")
        #expect(text(.alive) == "WATCHDOG=1\n")
        #expect(text(nil, "3 tasks.") == "STATUS=3 tasks.\n")
        #expect(text(.ready(processID: 1), "Fine.") == "READY=1\nMAINPID=1\nSTATUS=Fine.\n")
    }

    @Test("A status cannot begin another assignment", arguments: ["\n", "\r", "\u{0}", "\u{85}", "\u{2028}"])
    func oneLine(separator: String) { #expect(text(nil, "a\(separator)MAINPID=1") == "STATUS=a MAINPID=1\n") }

    @Test func aLongStatusIsCut() { #expect(text(nil, String(repeating: "é", count: 500)).count == "STATUS=\n".count + 200) }
}
