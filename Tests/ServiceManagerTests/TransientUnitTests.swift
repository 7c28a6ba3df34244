import Testing

@testable import ServiceManager

struct TransientUnitTests {
    @Test func theCallEndsWithTheProgramsOwnWords() {
        let call = TransientUnit(runner: "/usr/bin/systemd-run").call(
            .exec, waits: true, properties: ["KillMode=process"], directory: "/home/x", variables: ["B": "2", "A": "1"], words: ["/bin/t", "-e", "a"])
        #expect(call == [
            "/usr/bin/systemd-run", "--user", "--quiet", "--collect", "--service-type=exec", "--wait", "--property=KillMode=process",
            "--working-directory=/home/x", "--setenv=A=1", "--setenv=B=2", "--", "/bin/t", "-e", "a",
        ])
    }

    @Test func aDaemonIsNotWaitedFor() {
        let call = TransientUnit(runner: "r").call(.forking, waits: false, words: ["d"])
        #expect(call == ["r", "--user", "--quiet", "--collect", "--service-type=forking", "--", "d"])
    }

    @Test("The manager replaces nothing in them", arguments: [("$HOME", "$$HOME"), ("a$", "a$$"), ("$$", "$$$$"), ("", "")])
    func literal(word: String, passed: String) { #expect(TransientUnit(runner: "r").call(.exec, waits: true, words: ["p", word]).last == passed) }

    @Test func onlyTheServicesFirstProcessIsTheService() {
        #expect(TransientUnit.isService(variables: ["SYSTEMD_EXEC_PID": "77"], processID: 77))
        #expect(!TransientUnit.isService(variables: ["SYSTEMD_EXEC_PID": "76"], processID: 77))
        #expect(!TransientUnit.isService(variables: [:], processID: 77))
    }
}
