import CodexKit
import CommandLineKit
import FoundationEssentials
import Glibc
import Pairing

/// Shows the code of a sign-in in the terminal: the address, the code, a picture of the address for the phone, and how long it still works.
actor DeviceCodeScreen: DeviceCodePresenting {
    private let environment: NodeEnvironment
    private var ticker: Task<Void, Never>?

    init(environment: NodeEnvironment) { self.environment = environment }

    func presentDeviceCode(_ prompt: DeviceCodePrompt) {
        let address = prompt.verificationURL.absoluteString
        Output.print("Open this page on any device and enter the code. Never enter a code that somebody else gave you.\n")
        showPicture(of: address)
        Output.print("Page  \(Printable.line(address))")
        Output.print("Code  \(Printable.line(prompt.userCode))\n")
        guard Terminal.isTerminal(STDERR_FILENO) else { return Output.error("Waiting for the sign-in; ctrl-C gives up.") }
        let now = environment.now, end = Int64(prompt.expiresAt.timeIntervalSince1970)
        ticker = Task {
            while !Task.isCancelled {
                let left = max(end - now().value / 1000, 0)
                Self.show("Waiting for the sign-in; the code works for \(Self.minutes(left)). Ctrl-C gives up.")
                // Only cancelled, which ends the loop.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// The address for the camera of a phone, where it fits: it stands below in letters anyway.
    private func showPicture(of address: String) {
        guard Terminal.isTerminal(STDOUT_FILENO), let code = try? QRCode(encoding: address),
            case .drawing(let drawing) = TerminalCode.draw(code, environment)
        else { return }
        for line in drawing.lines { Output.print(line) }
        Output.print("")
    }

    func dismissDeviceCode() async {
        guard let ticker else { return }
        self.ticker = nil
        ticker.cancel()
        await ticker.value
        Self.show("")
    }

    /// Seconds as minutes and seconds, such as `14:05`.
    static func minutes(_ seconds: Int64) -> String { "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)" }

    /// Replaces the last line of the terminal.
    private static func show(_ text: String) {
        let bytes = Array("\r\u{1B}[K\(text)".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
