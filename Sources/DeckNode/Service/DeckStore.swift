import EventLoop
import Files
import JSON
import Log
import RelayProtocol

/// Keeps `deck.json`: reads it once, and writes it on a loop that may block.
struct DeckStore: Sendable {
    let path: String
    let loop: EventLoop
    let logger: Logger
    let now: @Sendable () -> UnixMilliseconds

    /// Reads the settings; a damaged file is set aside and named in the log, and the deck starts with the defaults.
    func load() throws(FileError) -> DeckSettings {
        let bytes: [UInt8]
        do throws(FileError) {
            _ = try PrivateFile.check(path)
            bytes = try File.read(path, limit: 1 << 20, followingLink: false)
        } catch {
            if case .missing = error { return DeckSettings() }
            throw error
        }
        do {
            return try DeckSettings(json: JSONParser().parse(bytes))
        } catch {
            let aside = try DamagedFile.setAside(path, now: .milliseconds(now().value))
            logger.warning("deck.json was damaged and is now \(aside); the deck starts with its defaults.")
            return DeckSettings()
        }
    }

    /// Writes the settings soon, in the order of the calls.
    func save(_ settings: DeckSettings) {
        loop.execute { [path, logger] in
            do throws(FileError) {
                try AtomicFile.write(settings.json.encoded(), to: path)
                logger.recovered("deck-store", "The deck can be saved again.")
            } catch {
                logger.logOnce("deck-store", .error, "The deck is not saved: \(error)")
            }
        }
    }
}
