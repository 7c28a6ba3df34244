import EventLoop
import JSON
import Testing

@testable import CodexAppServer

struct AppServerConnectionTests {
    // MARK: Handshake

    @Test func introducesItself() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop)
            await lab.wait { $0.transport.sent.count == 2 }
            let sent = await lab.run { $0.transport.sent }
            #expect(
                sent[0]
                    == json(
                        #"""
                        {"id":1,"method":"initialize","params":{"clientInfo":{"name":"decknode","title":"Codex Deck","version":"0.2"},
                        "capabilities":{"experimentalApi":true}}}
                        """#))
            #expect(sent[1] == json(#"{"method":"initialized","params":{}}"#))
            #expect(await lab.run { $0.info }?.version == "0.163.0")
            #expect(await lab.holds { $0.connection.isReady })
        }
    }

    @Test func aServerThatDoesNotAnswerIsGivenUp() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.make(on: loop, handshakeLimit: .milliseconds(5)) { $0.answersHandshake = false }
            await lab.wait { !$0.ends.isEmpty }
            #expect(await lab.run { $0.ends } == [.lost("it did not answer the handshake in time")])
            #expect(await lab.run { $0.log } == ["end"])
        }
    }

    @Test func aServerThatRefusesIsGivenUp() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.make(on: loop) {
                $0.answersHandshake = false
                $0.server = { lab, _ in lab.say(#"{"id":1,"error":{"code":-32600,"message":"Already initialized"}}"#) }
            }
            await lab.wait { !$0.ends.isEmpty }
            #expect(await lab.run { $0.ends } == [.violation("it refused the handshake with code -32600")])
        }
    }

    @Test func theEndDuringTheHandshakeIsReportedAsItIs() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.make(on: loop) {
                $0.answersHandshake = false
                $0.server = { lab, _ in lab.transport.end(.lost("gone")) }
            }
            await lab.wait { !$0.ends.isEmpty }
            #expect(await lab.run { $0.ends } == [.lost("gone")])
        }
    }

    @Test func nothingIsCalledOrToldBeforeTheHandshake() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.make(on: loop) { $0.answersHandshake = false }
            #expect(await lab.call(.loadedThreads()) == .failure(.disconnected))
            await lab.run {
                $0.say(#"{"method":"thread/archived","params":{"threadId":"\#(thread.uuid)"}}"#)
                $0.connection.answer(.integer(0), with: ["decision": "accept"])
            }
            #expect(await lab.holds { $0.events.isEmpty && $0.transport.sent.count == 1 })
        }
    }

    // MARK: Calls

    @Test func answersFindTheirCalls() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop) { lab in
                // The second is answered first.
                lab.server = { lab, message in
                    guard message["id"] == 3 else { return }
                    lab.say(#"{"id":99,"result":{}}"#)
                    lab.say(#"{"id":"2","result":{"data":[]}}"#)
                    lab.say(#"{"id":3,"result":{"data":["\#(thread.uuid)"],"nextCursor":null}}"#)
                    lab.say(#"{"id":2,"result":{"data":["\#(otherThread.uuid)"]}}"#)
                    lab.say(#"{"id":2,"result":{"data":[]}}"#)
                }
            }
            async let first = lab.call(.loadedThreads())
            await lab.wait { $0.transport.sent.count == 3 }
            let second = await lab.call(.loadedThreads())
            #expect(second == .success([thread]))
            #expect(await first == .success([otherThread]))
        }
    }

    @Test func refusalsAndStrangeAnswersAreErrors() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop) { lab in
                lab.server = { lab, message in
                    switch message["id"]?.int {
                    case 2: lab.say(#"{"error":{"code":-32600,"message":"thread not found: x"},"id":2}"#)
                    case 3: lab.say(#"{"id":3,"result":{}}"#)
                    default: break
                    }
                }
            }
            #expect(await lab.call(.loadedThreads()) == .failure(.refused(RPCError(code: -32600, message: "thread not found: x"))))
            #expect(await lab.call(.loadedThreads()) == .failure(.unexpectedAnswer(method: "thread/loaded/list")))
        }
    }

    /// Silence may mean that the server is gone without a word: a probe decides. An answer that comes later is nobody's.
    @Test func aCallThatIsNotAnsweredTimesOut() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop)
            async let slow = lab.call(AppServerCall<Void>("slow", timeout: .seconds(60)))
            await lab.wait { $0.transport.sent.count == 3 }
            let quick = await lab.call(AppServerCall<Int64>("quick", timeout: .milliseconds(5)) { $0.int })
            #expect(quick == .failure(.timedOut(method: "quick")))
            #expect(await lab.run { $0.transport.probes } == 1)
            await lab.run {
                $0.say(#"{"id":3,"result":5}"#)
                $0.say(#"{"id":2,"result":{}}"#)
            }
            guard case .success = await slow else {
                Issue.record("the other call must not suffer")
                return
            }
        }
    }

    @Test func anOverloadedServerIsAskedAgain() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop) { lab in
                lab.server = { lab, message in
                    guard let id = message["id"]?.int else { return }
                    lab.say(
                        id < 4
                            ? #"{"id":\#(id),"error":{"code":-32001,"message":"Server overloaded; retry later."}}"#
                            : #"{"id":\#(id),"result":{"turnId":"t"}}"#)
                }
            }
            #expect(await lab.call(.steerTurn(thread, turnID: "t", text: "x")) == .success("t"))
            let sent = await lab.run { $0.transport.sent }
            #expect(sent.compactMap { $0["id"]?.int } == [1, 2, 3, 4])
            #expect(Set(sent.suffix(3).map { $0["params"]?.text }).count == 1)
            #expect(await lab.run { $0.transport.probes } == 0)
        }
    }

    /// All attempts together stay within the call's time.
    @Test func aServerThatStaysOverloadedRefuses() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop) { lab in
                lab.server = { lab, message in
                    if let id = message["id"]?.int { lab.say(#"{"id":\#(id),"error":{"code":-32001,"message":"busy"}}"#) }
                }
            }
            let result = await lab.call(AppServerCall<Int64>("x", timeout: .milliseconds(20)) { $0.int })
            #expect(result == .failure(.refused(RPCError(code: -32001, message: "busy"))))
            #expect(await lab.run { $0.transport.sent.count } == 3)
        }
    }

    // MARK: The end

    @Test func theEndFailsAllCallsFirst() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop) { lab in
                lab.server = { lab, message in
                    if message["method"] == "busy", let id = message["id"]?.int {
                        lab.say(#"{"id":\#(id),"error":{"code":-32001,"message":"busy"}}"#)
                    }
                    if message["method"] == "last" { lab.transport.end(.lost("gone")) }
                }
            }
            // One is to be sent again, and the other waits for an answer.
            async let paused = lab.call(AppServerCall<Int64>("busy") { $0.int })
            await lab.wait { $0.transport.sent.count == 3 }
            let waiting = await lab.call(AppServerCall<Int64>("last") { $0.int })
            #expect(await paused == .failure(.disconnected))
            #expect(waiting == .failure(.disconnected))
            await lab.wait { !$0.ends.isEmpty }
            #expect(await lab.run { $0.log } == ["ready", "call", "call", "end"])
            #expect(await lab.run { $0.ends } == [.lost("gone")])
            #expect(await lab.holds { !$0.connection.isReady })
        }
    }

    @Test func afterTheEndNothingIsSent() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop)
            await lab.run { $0.connection.close() }
            await lab.wait { !$0.ends.isEmpty }
            let before = await lab.run { $0.transport.sent.count }
            #expect(await lab.call(.loadedThreads()) == .failure(.disconnected))
            await lab.run { $0.connection.answer(.integer(0), with: ["decision": "accept"]) }
            #expect(await lab.run { $0.transport.sent.count } == before)
            #expect(await lab.run { $0.ends } == [.closedHere])
        }
    }

    // MARK: Events

    @Test func eventsComeInTheirOrderAndTheRestIsCounted() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop)
            await lab.run {
                $0.say(#"{"method":"thread/archived","params":{"threadId":"\#(thread.uuid)"}}"#)
                $0.say(#"{"method":"item/agentMessage/delta","params":{"delta":"not wanted"}}"#)
                $0.say("nonsense")
                $0.say("[]")
                $0.say(#"{"method":"thread/archived","params":{}}"#)
                $0.say(#"{"method":"item/later/request","id":0,"params":{"threadId":"\#(thread.uuid)"}}"#)
                $0.say(#"{"method":"serverRequest/resolved","params":{"threadId":"\#(thread.uuid)","requestId":0}}"#)
            }
            let events = await lab.run { $0.events }
            let request = ServerRequest(id: .integer(0), method: "item/later/request", params: ["threadId": .string(thread.uuid)])
            #expect(events == [.archived(thread), .request(request), .requestResolved(thread, .integer(0))])
            #expect(await lab.run { $0.connection.damagedMessages } == 3)
        }
    }

    @Test func anAnswerGoesOutUnderTheRequestsOwnID() async throws {
        try await withLoop { loop in
            let lab = await ConnectionLab.ready(on: loop)
            await lab.run {
                $0.connection.answer(.integer(0), with: ["decision": "accept"])
                $0.connection.answer(.string("a"), with: ["decision": "decline"])
            }
            let sent = await lab.run { $0.transport.sent.suffix(2).map(\.text) }
            #expect(sent == [#"{"id":0,"result":{"decision":"accept"}}"#, #"{"id":"a","result":{"decision":"decline"}}"#])
        }
    }
}
