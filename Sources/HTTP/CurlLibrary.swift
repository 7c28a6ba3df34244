import CCurl

/// libcurl, found when the first request is made.
///
/// `@unchecked Sendable`: the table is filled once, before anybody else sees it, and never changes or moves after that.
struct CurlLibrary: @unchecked Sendable {
    let table: UnsafePointer<DeckCurl>

    var functions: DeckCurl { table.pointee }

    /// The library of this process, or why there is none.
    static let shared: Result<CurlLibrary, HTTPError> = load("libcurl.so.4")

    /// - Parameter name: The file name of the library for the dynamic linker.
    static func load(_ name: String) -> Result<CurlLibrary, HTTPError> {
        let table = UnsafeMutablePointer<DeckCurl>.allocate(capacity: 1)
        table.initialize(to: DeckCurl())
        guard deck_curl_load(table, name) == 1, table.pointee.global_init(deck_curl_global_default()) == CURLE_OK else {
            table.deallocate()
            return .failure(.libraryMissing)
        }
        return .success(CurlLibrary(table: UnsafePointer(table)))
    }
}
