import JSON
import RelayProtocol
import Testing

/// Random messages and mutations of them, the same ones in every run.
struct RelayRandomTests {
    private static let now = UnixMilliseconds(Int64(Fixture.observedAt))!

    private struct Source {
        var random: SeededGenerator

        mutating func chance(_ one: Int) -> Bool { random.next(upTo: one) == 0 }
        mutating func count(_ bound: Int) -> Int { random.next(upTo: bound) }
        mutating func maybe<Value>(_ body: (inout Source) -> Value) -> Value? { chance(2) ? body(&self) : nil }

        mutating func text(_ maximum: Int) -> String {
            let alphabet: [Character] = ["a", "Z", " ", "\"", "\\", "\n", "\0", "é", "e\u{301}", "語", "😀", "👩🏽‍🚀", "🇩🇪", "\u{202e}", "\u{2028}"]
            return String((0..<count(maximum + 1)).map { _ in alphabet[count(alphabet.count)] })
        }

        mutating func identity() -> TaskIdentity {
            let digits = (0..<32).map { _ in String(count(16), radix: 16) }.joined()
            let cuts = [0, 8, 12, 16, 20, 32].map { digits.index(digits.startIndex, offsetBy: $0) }
            return TaskIdentity(zip(cuts, cuts.dropFirst()).map { String(digits[$0..<$1]) }.joined(separator: "-"))!
        }

        mutating func time() -> UnixMilliseconds { UnixMilliseconds(clamping: now.value - Int64(count(1_000_000))) }
        mutating func revision() -> Int64 { Int64(count(1 << 53)) }

        mutating func slot(_ id: Int) -> Slot {
            let works = chance(2)
            return Slot(
                id: id, threadKey: maybe { "local:\($0.identity())" }, title: maybe { $0.text(60) },
                status: TaskStatus(rawValue: text(8)), selected: chance(2),
                activityAt: maybe { $0.time() }, ownedByHost: maybe { $0.chance(2) }, contextUsedPercent: maybe { $0.count(101) },
                workStartedAt: works ? time() : nil, workStartRevision: works ? revision() : nil)
        }

        mutating func session() -> HostSession {
            let works = chance(2)
            return HostSession(
                threadID: identity(), activityAt: time(), status: [.idle, .working, .complete][count(3)], completionRevision: maybe { $0.revision() },
                contextUsedPercent: maybe { $0.count(101) }, workStartedAt: works ? time() : nil, workStartRevision: works ? revision() : nil)
        }

        mutating func usage() -> Usage {
            let windows = (0..<count(9)).map { number in
                let used = Double(count(1001)) / 10
                return Usage.Window(
                    id: "w\(number)", kind: [.fiveHour, .weekly, .other][count(3)], usedPercent: used, remainingPercent: 100 - used,
                    durationMinutes: maybe { Double(1 + $0.count(20_000)) }, resetsAt: maybe { $0.time() })
            }
            return Usage(
                windows: windows, observedAt: time(), resetCreditsAvailable: maybe { $0.count(9) }, resetCreditsApplicable: maybe { $0.count(9) })
        }

        mutating func snapshot() -> Snapshot {
            Snapshot(
                slots: (0..<6).map { slot($0) }, activeThreadKey: maybe { $0.text(20) }, activeThreadTitle: maybe { $0.text(60) },
                layout: KeyLayout(
                    slots: [.act06: .init(.fast), .act12: .init(keycapID: text(8), commandID: maybe { $0.text(8) })], analogStick: [.up: text(8)]),
                agentSource: Snapshot.AgentSource.allCases[count(4)], lightingAutoOff: text(8), theme: chance(2) ? .light : .dark,
                usage: maybe { $0.usage() }, hostSessions: maybe { source in (0..<source.count(129)).map { _ in source.session() } })
        }

        mutating func host() -> Host {
            Host(
                id: HostID(identity().uuid)!, name: "h" + text(20), platform: chance(2) ? .mac : .windows, os: chance(2) ? "linux" : nil,
                codexVersion: maybe { "1" + $0.text(8) })
        }

        mutating func command() -> Command {
            let task = maybe { TaskKey(local: $0.identity()) }
            let phase: PressPhase = chance(2) ? .press : .release
            switch count(7) {
            case 0: return .agent(slot: count(6), threadKey: TaskKey("Local:client-new-thread:\(identity())")!, phase: phase)
            case 1: return .action(slot: ActionSlot.allCases[count(6)], phase: phase, task: task)
            case 2: return .joystick(direction: JoystickDirection.allCases[count(4)], distance: phase, task: task)
            case 3: return .encoder(phase: phase, task: task)
            case 4: return .reasoning(direction: ReasoningDirection.allCases[count(2)], task: task)
            case 5: return .rateLimitReset
            default: return .keycap(Keycap.allCases[count(30)], task: task)
            }
        }

        mutating func mutate(_ bytes: inout [UInt8]) {
            for _ in 0..<(1 + count(3)) where !bytes.isEmpty {
                let index = count(bytes.count)
                switch count(5) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(Array(#"{}[]",:\u0e-1.9null"#.utf8)[count(19)], at: index)
                case 3: bytes[index] = UInt8(ascii: "0") + UInt8(count(10))
                default: bytes.removeLast(min(count(bytes.count), count(40)))
                }
            }
        }
    }

    @Test func messagesOfNodesReadBackTheSame() throws {
        var source = Source(random: SeededGenerator(seed: 11))
        for _ in 0..<150 {
            let message = NodeMessage.snapshot(host: source.host(), observedAt: Self.now, source.snapshot())
            let bytes = message.encoded()
            #expect(bytes.count <= RelayLimits.maximumMessageBytes)
            #expect(try NodeMessage(decoding: bytes) == message)
            #expect(try LegacyPeer.complaint(JSONParser().parse(bytes)) == nil)
        }
    }

    @Test func messagesOfClientsReadBackTheSame() throws {
        var source = Source(random: SeededGenerator(seed: 12))
        for _ in 0..<2_000 {
            let message = ClientMessage.command(requestID: "r" + source.text(10), source.command())
            #expect(try ClientMessage(decoding: message.encoded()) == message)
        }
    }

    @Test("Nothing a client sends traps, and what is accepted is within its ranges")
    func mutatedClientMessages() throws {
        var source = Source(random: SeededGenerator(seed: 13))
        var outcomes: [String: Int] = [:]
        for _ in 0..<8_000 {
            var bytes = ClientMessage.command(requestID: "r1", source.command()).encoded()
            source.mutate(&bytes)
            do throws(ClientMessageError) {
                let message = try ClientMessage(decoding: bytes)
                #expect((try? ClientMessage(decoding: message.encoded())) == message)
                if case .command(_, .agent(let slot, _, _)) = message { #expect((0...5).contains(slot)) }
                outcomes["accepted", default: 0] += 1
            } catch {
                switch error {
                case .invalidCommand(let id): outcomes[id == nil ? "unanswerable" : "invalid", default: 0] += 1
                case .notJSON: outcomes["notJSON", default: 0] += 1
                default: outcomes["ignored", default: 0] += 1
                }
            }
        }
        for outcome in ["accepted", "invalid", "notJSON", "ignored", "unanswerable"] { #expect(outcomes[outcome, default: 0] > 20, "\(outcomes)") }
    }

    @Test("Nothing a node sends traps, and what is accepted can be sent on")
    func mutatedNodeMessages() throws {
        var source = Source(random: SeededGenerator(seed: 14))
        var accepted = 0
        for _ in 0..<1_500 {
            var snapshot = source.snapshot()
            snapshot.hostSessions = snapshot.hostSessions.map { Array($0.prefix(3)) }
            var bytes = NodeMessage.snapshot(host: source.host(), observedAt: Self.now, snapshot).encoded()
            source.mutate(&bytes)
            guard let message = try? NodeMessage(decoding: bytes) else { continue }
            accepted += 1
            guard case .snapshot(_, let observedAt, _) = message else { continue }
            #expect(observedAt.value > 0)
            #expect(try LegacyPeer.complaint(JSONParser().parse(message.encoded())) == nil)
        }
        #expect((100..<1_450).contains(accepted), "\(accepted)")
    }
}
