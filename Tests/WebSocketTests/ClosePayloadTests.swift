import Testing

@testable import WebSocket

struct ClosePayloadTests {
    @Test func readsNothingAndCodeAndReason() throws {
        let empty = try ClosePayload([])
        #expect(empty.code == nil && empty.reason == "")
        let full = try ClosePayload(closePayload(4001, "späť"))
        #expect(full.code == .application(4001) && full.reason == "späť")
    }

    @Test(
        "Broken payloads are named",
        arguments: [
            ([0x03], .closePayloadTooShort), ([0x03, 0xED], .invalidCloseCode(1005)), ([0, 0], .invalidCloseCode(0)),
            ([0x03, 0xE8, 0xC3], .closeReasonNotUTF8), ([0x03, 0xE8, 0x61, 0xFF], .closeReasonNotUTF8),
        ] as [([UInt8], PeerViolation)])
    func refuses(payload: [UInt8], violation: PeerViolation) {
        #expect(throws: violation) { try ClosePayload(payload) }
    }

    @Test("A long reason is cut between characters", arguments: 119...124)
    func cutsReasons(ascii: Int) throws {
        let reason = String(repeating: "a", count: ascii) + "🙂"
        let payload = ClosePayload.encode(.normal, reason: reason)
        let kept = try ClosePayload(payload).reason
        #expect(payload.count <= 125)
        #expect(kept == (ascii == 119 ? reason : String(repeating: "a", count: min(ascii, 123))))
    }

    @Test func withoutCodeThereIsNoReason() {
        #expect(ClosePayload.encode(nil, reason: "x") == [])
    }
}
