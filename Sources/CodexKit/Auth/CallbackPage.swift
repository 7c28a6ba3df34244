/// What the browser shows when it has come back.
enum CallbackPage {
    case done, refused, mismatch, cancelled, missing, malformed

    private var status: String {
        switch self {
        case .done, .refused, .cancelled: "200 OK"
        case .mismatch, .malformed: "400 Bad Request"
        case .missing: "404 Not Found"
        }
    }

    private var text: String {
        switch self {
        case .done: "You are signed in. You can close this window."
        case .refused: "The sign-in was refused. You can close this window."
        case .mismatch: "This answer belongs to another sign-in. Close this window and start again."
        case .cancelled: "The sign-in was cancelled."
        case .missing: "There is nothing here."
        case .malformed: "This is no answer to a sign-in."
        }
    }

    /// The whole HTTP answer. The page is a constant: nothing of the request is in it.
    var response: [UInt8] {
        let page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign-in</title><p>\(text)</p></html>\n"
        let head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "Content-Security-Policy: default-src 'none'", "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
    }
}
