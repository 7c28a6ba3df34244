import CodexRollouts
import DeckAgents
import Discovery
import JSON
import Relay
import RelayProtocol

extension NodeService {
    /// Answers a command of this user.
    func answer(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        switch request.command {
        case "status": Task { reply(.success(await self.status())) }
        case "agents": reply(.success(.array(tasksWithKeys())))
        case "reload": Task { reply(await self.reload()) }
        case "open": reply(open(request))
        case "press": press(request, reply)
        case "slots": reply(slots(request))
        case "layout": reply(layout(request))
        case "rename": Task { reply(await self.rename(request)) }
        default: reply(.failure("The running node does not know the command \(DisplaySafe.word(request.command)); restart it after an update."))
        }
    }

    // MARK: Status

    private func status() async -> JSONValue {
        let statistics = await rolloutStatistics()
        var fields: [String: JSONValue] = [
            "host": listeners.map { .object(["id": .string($0.host.id.uuid), "name": .string($0.host.name), "presentAs": .string($0.host.platform.rawValue)]) } ?? .null,
            "startedAt": .number(Double(startedAt.value)),
            "demo": .bool(options.demo),
            "codexHome": .string(environment.codexHome),
            "tasks": .number(Double(deck.tasks.count)),
            "clients": .number(Double(relay.clientCount)),
            "capabilities": .array(capabilities.map { .string($0.rawValue) }),
            "mode": .string(deck.settings.mode.rawValue),
            "sources": sources(statistics),
            "board": .array(deck.rankedTasks().map(describe)),
            "relay": counters(),
        ]
        if let listeners {
            fields["nearby"] = describe(listeners.nearby)
            fields["remote"] = describe(listeners.remote)
            fields["discovery"] = .string(describe(listeners.discovery))
        }
        return .object(fields)
    }

    private func sources(_ statistics: RolloutStatistics?) -> JSONValue {
        guard let statistics else { return .object(["demo": .object(["tasks": .number(Double(agentTasks.count))])]) }
        var fields: [String: JSONValue] = [
            "homeExists": .bool(statistics.homeExists), "liveFiles": .number(Double(statistics.liveFiles)),
            "archivedFiles": .number(Double(statistics.archivedFiles)), "readSessions": .number(Double(statistics.readSessions)),
            "watchedFolders": .number(Double(statistics.watchedFolders)), "skippedLines": .number(Double(statistics.skippedLines)),
            "damagedLines": .number(Double(statistics.damagedLines)), "stalled": .number(Double(statistics.stalledSessions)),
            "unreadable": .object(statistics.unreadable.mapValues { .number(Double($0)) }),
        ]
        if let reason = statistics.pollingReason { fields["pollingReason"] = .string(reason) }
        return .object(["rollouts": .object(fields), "appServer": appServerStatus(), "agents": agentsStatus()])
    }

    private func agentsStatus() -> JSONValue {
        var fields: [String: JSONValue] = ["tasks": .number(Double(agentTasks.count))]
        switch agentsState {
        case .unused: fields["state"] = "unused"
        case .open: fields["state"] = "open"
        case .inUse: fields["state"] = "inUse"
        case .failing(let reason):
            fields["state"] = "failing"
            fields["reason"] = .string(reason)
        }
        return .object(fields)
    }

    private func appServerStatus() -> JSONValue {
        var fields: [String: JSONValue] = [
            "threads": .number(Double(facts.count)), "loaded": .number(Double(facts.values.count { $0.status.isLoaded })),
            "missing": .array(condition.missing.map { .string($0) }),
        ]
        switch condition.link {
        case .connected(let info):
            fields["state"] = "connected"
            fields["userAgent"] = .string(info.userAgent)
            if let version = info.version { fields["version"] = .string(version) }
        case .waiting(let end):
            fields["state"] = end == .absent || end == .refused ? "absent" : "failing"
            fields["reason"] = .string("\(end)")
        }
        return .object(fields)
    }

    private func counters() -> JSONValue {
        let counters = relay.counters
        return .object([
            "accepted": .number(Double(counters.accepted)), "authenticated": .number(Double(counters.authenticated)),
            "failedAuthentications": .number(Double(counters.failedAuthentications)), "commands": .number(Double(counters.commands)),
            "invalidCommands": .number(Double(counters.invalidCommands)), "ignoredMessages": .number(Double(counters.ignoredMessages)),
            "refusedByRate": .number(Double(counters.refusedByRate)), "droppedSlowClients": .number(Double(counters.droppedSlowClients)),
            "snapshots": .number(Double(counters.snapshotsPublished)),
        ])
    }

    private func describe(_ condition: NodeListeners.Condition) -> JSONValue {
        switch condition {
        case .disabled: .object(["state": .string("disabled")])
        case .listening(let address): .object(["state": .string("listening"), "address": .string(address.description)])
        case .failing(let reason): .object(["state": .string("failing"), "reason": .string(reason)])
        }
    }

    private func describe(_ state: ServicePublisher.State) -> String {
        switch state {
        case .idle: "off"
        case .registering: "registering"
        case .published(let name): "published as \(name)"
        case .unavailable(let reason): "not announced, as Avahi cannot be reached (\(reason))"
        case .failed(let reason): "not announced, as Avahi refuses it (\(reason))"
        }
    }

    private func describe(_ task: DeckTask) -> JSONValue {
        var fields: [String: JSONValue] = [
            "id": .string(task.identity.uuid), "key": .string(task.key.rawValue), "title": .string(task.title),
            "status": .string(deck.status(of: task).rawValue), "activityAt": .number(Double(task.activityAt.value)),
            "source": .string(task.origin.rawValue), "selected": .bool(deck.settings.selection?.identity == task.identity),
            "pinned": .bool(deck.settings.pins.contains(task.identity)), "stalled": .bool(task.stalled),
        ]
        if let percent = task.contextUsedPercent { fields["contextUsedPercent"] = .number(Double(percent)) }
        var facts: [String: JSONValue] = ["status": .string(task.provenance.status.rawValue), "title": .string(task.provenance.title.rawValue)]
        if let context = task.provenance.context { facts["context"] = .string(context.rawValue) }
        fields["facts"] = .object(facts)
        if let reason = task.observedOnlyReason { fields["observedOnly"] = .string(reason) }
        return .object(fields)
    }

    /// All tasks, those on the deck with the number of their key.
    private func tasksWithKeys() -> [JSONValue] {
        let slots = deck.snapshot(now: environment.now()).slots
        return deck.rankedTasks().map { task in
            guard var fields = describe(task).object, let index = slots.firstIndex(where: { $0.identity == task.identity }) else { return describe(task) }
            fields["slot"] = .number(Double(index + 1))
            return .object(fields)
        }
    }

    private func taskJSON(_ identity: TaskIdentity) -> JSONValue { deck.tasks[identity].map(describe) ?? .null }

    // MARK: Deck

    private struct Unresolved: Error { var sentence: String }

    private func resolve(_ request: ControlRequest, _ argument: String = "task") -> Result<TaskIdentity, Unresolved> {
        guard let text = request.arguments[argument]?.string else { return .failure(Unresolved(sentence: "Name a task.")) }
        let snapshot = deck.snapshot(now: environment.now())
        if let number = Int(text), (1...Snapshot.slotCount).contains(number) {
            guard let identity = snapshot.slots[number - 1].identity else { return .failure(Unresolved(sentence: "Key \(number) is empty.")) }
            return .success(identity)
        }
        let wanted = text.lowercased()
        let matches = deck.tasks.values.filter { task in
            task.identity.uuid.hasPrefix(wanted) && wanted.utf8.count >= 4 || task.title.lowercased().contains(wanted)
        }
        switch matches.count {
        case 1: return .success(matches[0].identity)
        case 0: return .failure(Unresolved(sentence: "No task matches \"\(DisplaySafe.word(text))\"; see `decknode agents`."))
        default: return .failure(Unresolved(sentence: "\(matches.count) tasks match \"\(DisplaySafe.word(text))\"; give more of the title or the id."))
        }
    }

    private func open(_ request: ControlRequest) -> ControlReply {
        switch resolve(request) {
        case .failure(let error): .failure(error.sentence)
        case .success(let identity): open(identity, for: .owner).refusal.map { .failure($0) } ?? .success(taskJSON(identity))
        }
    }

    private func press(_ request: ControlRequest, _ reply: @escaping @Sendable (ControlReply) -> Void) {
        guard let command = request.arguments["key"]?.string.flatMap(PressedKey.command) else {
            return reply(.failure("There is no such key; the keys are \(PressedKey.names.joined(separator: " "))."))
        }
        if request.arguments["task"] != nil {
            switch resolve(request) {
            case .failure(let error): return reply(.failure(error.sentence))
            case .success(let identity): if let refusal = open(identity, for: .owner).refusal { return reply(.failure(refusal)) }
            }
        }
        perform(command, of: .owner) { answer in
            switch answer {
            case .done(let note): reply(.success(note.map { .object(["note": .string($0)]) } ?? .null))
            case .refused(let sentence): reply(.failure(sentence))
            }
        }
    }

    /// Follows files that a command has changed: the pairing, and the owner's settings as far as they can change while the node runs.
    private func reload() async -> ControlReply {
        listeners?.apply()
        do throws(NodeSettingsError) {
            let new = try NodeSettings.load(path: environment.settingsPath)
            guard new != environment.settings else { return .success(.null) }
            environment.settings = new
            warnOfSettings()
            joinAll()
            startDaemonIfWished()
            // The demo's agents have no settings.
            if demo == nil { await agents?.reconfigure(options.agents(environment)) }
            return .success(.null)
        } catch {
            return .failure("\(error)")
        }
    }

    /// Gives a task of the agents another title; those of Codex are named where they run.
    private func rename(_ request: ControlRequest) async -> ControlReply {
        switch resolve(request) {
        case .failure(let error): return .failure(error.sentence)
        case .success(let identity):
            guard let agents, agentTasks[identity] != nil else {
                return .failure("Only tasks of the node's own agents are renamed here; name this one in Codex, with /rename.")
            }
            do throws(AgentHostError) {
                try await agents.rename(identity, to: request.arguments["title"]?.string ?? "")
                return .success(taskJSON(identity))
            } catch {
                return .failure(error.description)
            }
        }
    }

    private func slots(_ request: ControlRequest) -> ControlReply {
        if let mode = request.arguments["mode"]?.string {
            guard let mode = Snapshot.AgentSource(rawValue: mode) else { return .failure("There is no mode \(DisplaySafe.word(mode)).") }
            deck.setMode(mode)
        }
        if let slot = request.arguments["slot"]?.int {
            guard (1...Int64(Snapshot.slotCount)).contains(slot) else { return .failure("Keys are numbered 1 to \(Snapshot.slotCount).") }
            if request.arguments["task"] == nil {
                deck.assign(nil, toSlot: Int(slot) - 1)
            } else {
                switch resolve(request) {
                case .failure(let error): return .failure(error.sentence)
                case .success(let identity): deck.assign(identity, toSlot: Int(slot) - 1)
                }
            }
        }
        for (argument, pin) in [("pin", true), ("unpin", false)] where request.arguments[argument] != nil {
            switch resolve(request, argument) {
            case .failure(let error): return .failure(error.sentence)
            case .success(let identity):
                if deck.settings.pins.contains(identity) != pin, deck.togglePin(identity) == nil { return .failure(Refusal.pinsFull) }
            }
        }
        publishIfChanged()
        let snapshot = deck.snapshot(now: environment.now())
        return .success(
            .object([
                "mode": .string(deck.settings.mode.rawValue),
                "slots": .array(snapshot.slots.map { $0.identity.map(taskJSON) ?? .null }),
                "pins": .array(deck.settings.pins.map { .string($0.uuid) }),
            ]))
    }

    private func layout(_ request: ControlRequest) -> ControlReply {
        if request.arguments["reset"]?.bool == true { deck.resetLayout() }
        if let slotName = request.arguments["slot"]?.string {
            guard let slot = ActionSlot(rawValue: slotName.uppercased()) else {
                return .failure("There is no such place; the places are \(ActionSlot.allCases.map(\.rawValue).joined(separator: " ")).")
            }
            guard let name = request.arguments["key"]?.string, let keycap = Keycap(rawValue: name.uppercased()) else {
                return .failure("There is no such key; the keys are \(Keycap.allCases.map(\.rawValue).joined(separator: " ")).")
            }
            deck.assign(keycap, to: slot)
        }
        publishIfChanged()
        return .success(.object(Dictionary(uniqueKeysWithValues: deck.settings.layout.slots.map { ($0.key.rawValue, .string($0.value.keycapID)) })))
    }
}
