import CodexKit
import Observation

/// The code of a sign-in that is under way, for a screen to show.
@MainActor
@Observable
public final class DeviceCodePromptCoordinator: DeviceCodePresenting {
    /// `nil` when nobody is signing in.
    public private(set) var currentPrompt: DeviceCodePrompt?

    public init() {}

    public func presentDeviceCode(_ prompt: DeviceCodePrompt) async { currentPrompt = prompt }
    public func dismissDeviceCode() async { currentPrompt = nil }
}
