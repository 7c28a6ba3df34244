import Pairing

let linkTargets = [
    FuzzTarget("pairing-link", maximumLength: 5000) { bytes in
        let text = bytes.text
        do throws(PairingLinkError) {
            let link = try PairingLink(text)
            expect((try? PairingLink(link.text)) == link, "a pairing link reads back the same")
            expect(link.address.isPrivate, "a pairing link leads to a private address")
        } catch {
            expect(!error.description.isEmpty, "a refusal has its sentence")
        }
        _ = try? DeckLink(text)
    },
    FuzzTarget("agent-link", maximumLength: 5000) { bytes in
        let text = bytes.text
        guard let link = try? AgentLink(text) else { return }
        if let title = link.title {
            checkLine(title)
            expect(title.count <= AgentLink.maximumTitleLength, "a title is within its limit")
        }
        guard let again = try? AgentLink(link.text) else { return expect(link.text.utf8.count > 4096, "a link to a task reads back") }
        expect(again == link, "a link to a task reads back the same")
    },
]
