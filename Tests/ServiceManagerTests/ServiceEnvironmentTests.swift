import Testing

@testable import ServiceManager

struct ServiceEnvironmentTests {
    private func read(_ variables: [String: String]) -> ServiceEnvironment { ServiceEnvironment(variables: variables, processID: 77) }

    @Test func withoutAManagerThereIsNothing() {
        let environment = read(["PATH": "/bin"])
        #expect(environment.notify == nil && environment.watchdog == nil && environment.inherited.isEmpty)
    }

    @Test func theWatchdogsTimeIsInMicroseconds() {
        #expect(read(["WATCHDOG_USEC": "30000000"]).watchdog == .seconds(30))
        #expect(read(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "77"]).watchdog == .microseconds(1))
    }

    @Test("What makes no sense is no watchdog", arguments: ["", "0", "-1", "soon", "1.5", "99999999999999999999"])
    func noWatchdog(text: String) { #expect(read(["WATCHDOG_USEC": text]).watchdog == nil) }

    @Test("A watchdog of another process is not ours", arguments: ["76", "", "x", "99999999999"])
    func foreignWatchdog(owner: String) { #expect(read(["WATCHDOG_USEC": "1000", "WATCHDOG_PID": owner]).watchdog == nil) }

    @Test func aTimeWithoutEndCanBeAddedToAClock() throws {
        let watchdog = try #require(read(["WATCHDOG_USEC": "9223372036854775807"]).watchdog)
        #expect(ContinuousClock.now + watchdog > .now + .seconds(86_400 * 365))
    }

    @Test func socketsHaveTheNamesOfTheirUnit() {
        let inherited = read(["LISTEN_PID": "77", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "control::engine"]).inherited
        #expect(inherited == [.init(name: "control", descriptor: 3), .init(name: "unknown", descriptor: 4), .init(name: "engine", descriptor: 5)])
        #expect(read(["LISTEN_PID": "77", "LISTEN_FDS": "1"]).inherited == [.init(name: "unknown", descriptor: 3)])
    }

    @Test("Sockets of another process, and numbers that make no sense, are left alone", arguments: [
        ["LISTEN_FDS": "1"], ["LISTEN_PID": "76", "LISTEN_FDS": "1"], ["LISTEN_PID": "77"], ["LISTEN_PID": "77", "LISTEN_FDS": "0"],
        ["LISTEN_PID": "77", "LISTEN_FDS": "-1"], ["LISTEN_PID": "77", "LISTEN_FDS": "17"], ["LISTEN_PID": "77", "LISTEN_FDS": "2147483647"],
        ["LISTEN_PID": "77", "LISTEN_FDS": "two"],
    ])
    func noSockets(variables: [String: String]) { #expect(read(variables).inherited.isEmpty) }
}
