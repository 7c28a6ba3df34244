import CodexKit

/// Shows the code of a sign-in in a terminal.
public struct TerminalDeviceCodePresenter: DeviceCodePresenting {
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Prints text as it is.
    public init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    public func presentDeviceCode(_ prompt: DeviceCodePrompt) async {
        write(
            """
            To sign in, open \(TerminalText.line(prompt.verificationURL.absoluteString, limit: 500))
            on any device and enter the code \(TerminalText.line(prompt.userCode, limit: 40))

            """)
    }

    public func dismissDeviceCode() async {}
}
