import Glibc

/// Looks programs up in a `PATH`.
struct ExecutableSearch: Sendable {
    let folders: [String]

    /// - Parameter path: The value of `PATH`; missing means the folders every system has. Relative parts are left out, for they mean
    ///   another folder in each place.
    init(path: String?) {
        folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// The path of the first program of that name; a name with a slash is a path already.
    func find(_ name: String) -> String? {
        if name.contains("/") { return Self.isExecutable(name) ? name : nil }
        guard !name.isEmpty else { return nil }
        return folders.lazy.map { $0 + "/" + name }.first(where: Self.isExecutable)
    }

    static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
