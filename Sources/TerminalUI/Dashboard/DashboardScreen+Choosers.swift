import DeckClient
import RelayProtocol

/// Lower keys, settings, and the computer that counts.
extension DashboardScreen {
    // MARK: - Layouts

    func layoutsPage(chosen: Int) -> Page {
        let active = state.settings.layouts.active
        let profiles = LayoutProfile.allCases
        var entries = profiles.map { profile in
            var line = StyledLine(profile == active ? "* " : "  ", .key)
            line.append(profile.rawValue, profile == active ? .heading : .plain)
            line.pad(to: 13)
            let caps = profile == .automatic ? "the computer's own keys" : ActionSlot.allCases.compactMap {
                state.settings.layouts.keycap(on: $0, in: profile)?.rawValue
            }.joined(separator: " ")
            line.append(caps, .faint)
            return line
        }
        entries += state.lowerKeys.enumerated().map { index, key in
            var line = StyledLine("F\(index + 1)", .key)
            line.append("  " + key.slot.rawValue, .faint)
            line.pad(to: 16)
            line.append(key.label.isEmpty ? "-" : CellText.clean(key.label, glyphs), .heading)
            let isChanged = state.settings.layouts.change(of: key.slot, in: active) != nil
            line.append(isChanged ? "  changed" : key.isAssigned ? "" : "  the computer's", .faint)
            return line
        }
        return Page(
            lines: [
                ListWindow.heading(
                    StyledLine(" Lower keys", .heading), count: entries.count, chosen: chosen, room: pageRows - 1, columns: size.columns, glyphs)
            ]
                + ListWindow.lines(entries, chosen: chosen, room: pageRows - 1, columns: size.columns, glyphs),
            hints: [
                ("Enter", chosen < profiles.count ? "use" : "replace"), ("x", "put back"), ("X", "reset all"), ("i", "import"), ("Esc", "back"),
            ])
    }

    mutating func pressOnLayouts(_ key: Key, chosen: Int) -> [DashboardEffect] {
        let profiles = LayoutProfile.allCases
        if let target = ListWindow.move(key, from: chosen, count: profiles.count + state.lowerKeys.count) {
            view = .layouts(chosen: target)
            return []
        }
        let index = chosen - profiles.count
        let slot = state.lowerKeys.indices.contains(index) ? state.lowerKeys[index].slot : nil
        switch key {
        case .escape, .character("q"), .character("l"): leave()
        case .character("?"): enter(.help(offset: 0))
        case .enter, .character(" "):
            if let slot {
                let present = state.lowerKeys[index].keycap.flatMap { Keycap.allCases.firstIndex(of: $0) }
                enter(.keycaps(chosen: present ?? 0, use: .assign(slot)))
            } else if profiles.indices.contains(chosen) {
                return [.edit(.set(key: "layout", word: profiles[chosen].rawValue))]
            }
        case .character("x"): if let slot { return [.edit(.assign(nil, slot))] }
        case .character("X"): return [.edit(.resetLayout)]
        case .character("i"):
            guard let layout = board.layout else { return refuse(focused: "The selected computer was not heard yet, so its keys are not known.") }
            return [.edit(.importKeys(layout))]
        default: break
        }
        return []
    }

    // MARK: - Settings

    /// Each key of each layout has its own view.
    static let listedSettings = ClientSetting.all.filter { !$0.key.hasPrefix("layouts.") }

    func settingsPage(chosen: Int) -> Page {
        let entries = Self.listedSettings.map { setting in
            var line = StyledLine(setting.key)
            line.pad(to: 26)
            line.append(settingText(setting), .heading)
            return line
        }
        let setting = Self.listedSettings.indices.contains(chosen) ? Self.listedSettings[chosen] : nil
        let summary = CellText.wrapped(setting?.summary ?? "", to: max(size.columns - 2, 1)).map { StyledLine(" " + $0, .faint) }
        let room = max(pageRows - 2 - summary.count, 1), title = StyledLine(" Settings", .heading)
        let heading = ListWindow.heading(title, count: entries.count, chosen: chosen, room: room, columns: size.columns, glyphs)
        let lines = ListWindow.lines(entries, chosen: chosen, room: room, columns: size.columns, glyphs)
        return Page(lines: [heading] + lines + [StyledLine()] + summary, hints: [("Enter", "change"), ("x", "default"), ("Esc", "back")])
    }

    private func settingText(_ setting: ClientSetting) -> String {
        guard setting.kind == .host else { return setting.text(state.settings) }
        guard let host = state.settings.authority else { return "the first paired" }
        return CellText.clean(board.computer(host)?.name ?? host.uuid, glyphs)
    }

    mutating func pressOnSettings(_ key: Key, chosen: Int) -> [DashboardEffect] {
        if let target = ListWindow.move(key, from: chosen, count: Self.listedSettings.count) {
            view = .settings(chosen: target)
            return []
        }
        guard Self.listedSettings.indices.contains(chosen) else { return [] }
        let setting = Self.listedSettings[chosen]
        switch key {
        case .escape, .character("q"), .character("s"): leave()
        case .character("?"): enter(.help(offset: 0))
        case .character("x"): return [.edit(.set(key: setting.key, word: nil))]
        case .enter, .character(" "), .right: return change(setting, by: 1)
        case .left: return change(setting, by: -1)
        default: break
        }
        return []
    }

    private mutating func change(_ setting: ClientSetting, by step: Int) -> [DashboardEffect] {
        let text = setting.text(state.settings)
        switch setting.kind {
        case .boolean: return [.edit(.set(key: setting.key, word: text == "true" ? "false" : "true"))]
        case .choice(let words):
            guard let index = words.firstIndex(of: text), !words.isEmpty else { return [] }
            return [.edit(.set(key: setting.key, word: words[(index + step + words.count) % words.count]))]
        case .host:
            enter(.hosts(chosen: 0))
            return []
        }
    }

    // MARK: - Hosts

    func hostsPage(chosen: Int) -> Page {
        let authority = state.settings.authority
        var entries = [StyledLine([Span(authority == nil ? "* " : "  ", .key), Span("the first paired", authority == nil ? .heading : .plain)])]
        entries += board.computers.map { computer in
            let isChosen = computer.id == authority
            var left = StyledLine(isChosen ? "* " : "  ", .key)
            left.append("\(computer.badge.rawValue) " + CellText.clean(computer.name, glyphs), isChosen ? .heading : .plain)
            if computer.id == board.selectedHost { left.append("  selected", .faint) }
            return StyledLine.spread(left, StyledLine(computer.health.word + " ", computer.health.style), columns: size.columns - 1, glyphs)
        }
        let room = pageRows - 3, title = StyledLine(" Computers", .heading)
        let lines = ListWindow.lines(entries, chosen: chosen, room: room, columns: size.columns, glyphs)
        let heading = ListWindow.heading(title, count: entries.count, chosen: chosen, room: room, columns: size.columns, glyphs)
        let words = "Whose order of tasks and lower keys count:"
        let summary = CellText.wrapped(words, to: max(size.columns - 2, 1)).map { StyledLine(" " + $0, .faint) }
        return Page(lines: [heading] + summary + lines, hints: [("Enter", "choose"), ("Esc", "back")])
    }

    mutating func pressOnHosts(_ key: Key, chosen: Int) -> [DashboardEffect] {
        if let target = ListWindow.move(key, from: chosen, count: board.computers.count + 1) {
            view = .hosts(chosen: target)
            return []
        }
        switch key {
        case .escape, .character("q"), .character("h"): leave()
        case .character("?"): enter(.help(offset: 0))
        case .enter, .character(" "):
            leave()
            let computer = board.computers.indices.contains(chosen - 1) ? board.computers[chosen - 1] : nil
            return [.edit(.set(key: "authority", word: computer?.id.uuid))]
        default: break
        }
        return []
    }
}
