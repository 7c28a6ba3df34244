import CodexKit
import FoundationEssentials
import Glibc
import RelayProtocol
import Testing

@testable import DeckAgents

/// Where the tools of a thread work.
struct AgentHostFolderTests {
    private func folder(of events: [AgentAskEvent]) -> String? {
        for event in events { if case .thread(_, _, let folder, _) = event { return folder } }
        return nil
    }

    @Test("A folder that is named by a link is kept and shown as what it is")
    func keepsTheRealFolder() async throws {
        let fixture = try HostFixture([[.say("one")], [.call("read_file", #"{"path":"a"}"#)]])
        #expect(mkdir(fixture.folder.path + "/other", 0o700) == 0)
        try fixture.folder.write("right", "work/a")
        let link = fixture.folder.path + "/link"
        #expect(symlink("work", link) == 0)
        var events: [AgentAskEvent] = []
        for await event in try await fixture.host.ask(AgentAsk(text: "Go", folder: link + "/.")) { events.append(event) }
        #expect(folder(of: events) == fixture.folder.work)
        let id = try #require(events.thread)
        // What the link means afterwards is no matter.
        #expect(unlink(link) == 0 && symlink("other", link) == 0)
        #expect(try await fixture.answer("Look", thread: id).finishedTools.map(\.succeeded) == [true])
        events = []
        for await event in try await fixture.host.ask(AgentAsk(text: "Move", folder: link, thread: id.uuid)) { events.append(event) }
        #expect(folder(of: events) == fixture.folder.path + "/other")
        #expect(try await fixture.host.newThread(in: link).folder == fixture.folder.path + "/other")
    }

    @Test("A folder that became a link is not worked in")
    func refusesASwappedFolder() async throws {
        let fixture = try HostFixture([[.say("one")], [.call("read_file", #"{"path":"a"}"#)]])
        let id = try #require(try await fixture.answer("Go").thread)
        #expect(mkdir(fixture.folder.path + "/victim", 0o700) == 0)
        try fixture.folder.write("secret", "victim/a")
        #expect(rmdir(fixture.folder.work) == 0 && symlink("victim", fixture.folder.work) == 0)
        let tools = try await fixture.answer("Look", thread: id).finishedTools
        #expect(tools.map(\.summary) == ["The working folder leads elsewhere now."])
    }

    @Test("A book that is lost moves no thread into the home folder; its owner can give it a folder again")
    func lostBook() async throws {
        let former = try HostFixture()
        let id = try #require(try await former.answer("First").thread)
        try former.folder.write("garbage", "state/agents.json")
        let command = FakeModel.Step.call("run_command", #"{"command":"touch made"}"#), read = FakeModel.Step.call("read_file", #"{"path":"notes"}"#)
        let next = try await former.crashed([[read], [command], [.say("x")], [read], [.say("y")]])
        try next.folder.write("private", "work/notes")
        try await next.host.openIfUsed()
        #expect(await next.host.task(id)?.folder == "")
        var events: [AgentAskEvent] = []
        for await event in try await next.ask("Second", thread: id) {
            events.append(event)
            guard case .approvalRequested(let approval) = event else { continue }
            #expect(approval.lines.first == "This call cannot be run, whatever you answer: the thread has no working folder.")
            #expect(approval.lines.contains("$ touch made") && !approval.isSandboxed)
            try await next.host.answer(approval: approval.id, approving: true, by: .terminal)
        }
        #expect(folder(of: events) == "" && !next.folder.exists("work/made"))
        #expect(events.finishedTools.map(\.summary) == Array(repeating: "The thread has no working folder.", count: 2))
        #expect(await failure { _ = try await next.host.run(["true"], in: "") }?.code == "no_folder")
        #expect(await failure { _ = try await next.host.newThread(in: "") }?.code == "no_folder")
        #expect(try await next.host.conversation(of: id).thread["cwd"] == .null)
        events = []
        for await event in try await next.host.ask(AgentAsk(text: "Third", folder: next.folder.work, thread: id.uuid)) { events.append(event) }
        #expect(events.finishedTools.map(\.succeeded) == [true])
    }

    @Test("What was hidden when the threads were opened stays so under another name, with other settings too", arguments: [false, true])
    func renamedSecrets(reconfigured: Bool) async throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder.work + "/.config", 0o700) == 0 && mkdir(folder.work + "/.config/gh", 0o700) == 0)
        try folder.write("token", "work/.config/gh/hosts.yml")
        try folder.write("token", "work/.netrc")
        let fixture = try HostFixture(
            [[.say("one")], [.call("read_file", #"{"path":"c/gh/hosts.yml"}"#), .call("read_file", #"{"path":"n"}"#)]], folder: folder
        ) { $0.hide([folder.work + "/.config/gh", folder.work + "/.netrc"]) }
        let id = try #require(try await fixture.answer("Go").thread)
        #expect(rename(folder.work + "/.config", folder.work + "/c") == 0 && rename(folder.work + "/.netrc", folder.work + "/n") == 0)
        if reconfigured { await fixture.host.reconfigure(fixture.configuration) }
        #expect(try await fixture.answer("Look", thread: id).finishedTools.map(\.succeeded) == [false, false])
    }
}
