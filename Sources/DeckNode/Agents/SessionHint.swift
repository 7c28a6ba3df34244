import CodexKit

/// What to do where a session has no place.
enum SessionHint {
    /// A sentence with the way out that this program offers instead of the library's.
    static func ours(_ sentence: String) -> String {
        sentence.replacing(
            " Or allow a file with \(KeychainSessionSecureStore.fallbackVariable)=file.",
            with: " Or allow a file that is not encrypted: `decknode config set agents.sessionFile true`.")
    }
}
