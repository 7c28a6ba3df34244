/// Where a runtime remembers, and whether it learns by itself.
public struct AgentMemoryConfiguration: Sendable {
    /// When turns are looked through for what is worth remembering.
    public enum Capture: Hashable, Sendable {
        case never
        /// After each turn whose question has at least this many characters, the model is asked once more, aside from the thread.
        case afterEachTurn(minimumCharacters: Int)
    }

    public var store: any AgentMemoryStoring
    public var capture: Capture
    /// The model that looks for what to remember; `nil` for the thread's.
    public var captureModel: String?

    public init(store: any AgentMemoryStoring, capture: Capture = .never, captureModel: String? = nil) {
        self.store = store
        self.capture = capture
        self.captureModel = captureModel
    }
}
