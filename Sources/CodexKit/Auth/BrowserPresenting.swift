import EventLoop
import FoundationEssentials
import Glibc

/// Brings a person to a page of the server.
public protocol BrowserPresenting: Sendable {
    /// Shows the page; returns at once. A failure need not be reported: the sign-in waits, and the person sees nothing happen.
    func open(_ url: URL) async
}

/// Opens pages with `xdg-open`, and prints the address for when there is no browser.
public struct SystemBrowser: BrowserPresenting {
    private let print: @Sendable (String) -> Void

    /// - Parameter print: Takes the lines for the person; standard error by default.
    public init(print: @escaping @Sendable (String) -> Void = SystemBrowser.printToStandardError) { self.print = print }

    /// Writes a line to standard error.
    @Sendable public static func printToStandardError(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    public func open(_ url: URL) async {
        print("To sign in, open this page if your browser does not show it by itself:\n\(url.absoluteString)")
        do {
            let loop = try EventLoop(name: "browser")
            defer { loop.shutdown() }
            _ = try await ChildProcess.launch("xdg-open", [url.absoluteString], grace: .seconds(2), on: loop)
        } catch {
            // The address is on the screen already, which is what a computer without a browser needs.
        }
    }
}
