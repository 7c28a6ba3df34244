import Testing

@testable import WebSocket

struct CloseCodeTests {
    @Test func allowsExactlyTheCodesOfTheRegistry() {
        let allowed = (UInt16.min...UInt16.max).filter { CloseCode(rawValue: $0) != nil }
        #expect(allowed == Array(1000...1003) + Array(1007...1014) + Array(3000...4999))
    }

    @Test(
        "Application codes stay in their range", arguments: [(4001, 4001), (4999, 4999), (0, 4000), (3999, 4000), (5000, 4999)] as [(UInt16, UInt16)])
    func clampsApplicationCodes(given: UInt16, expected: UInt16) {
        #expect(CloseCode.application(given).rawValue == expected)
    }

    @Test func namesAreValidCodes() {
        let named: [CloseCode] = [
            .normal, .goingAway, .protocolError, .unsupportedData, .invalidPayload, .policyViolation, .messageTooBig, .internalError,
            .serviceRestart, .tryAgainLater,
        ]
        #expect(named.map(\.rawValue) == [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013])
        #expect(named.allSatisfy { CloseCode(rawValue: $0.rawValue) == $0 })
    }
}
