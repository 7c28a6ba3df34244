import CAvahi

/// The entries of a TXT record as libavahi's linked list, for the length of a call.
struct TextRecord {
    let entries: [[UInt8]]

    init(_ entries: [[UInt8]]) { self.entries = entries }

    /// Reads a list that the library owns.
    init(_ list: UnsafeMutablePointer<AvahiStringList>?) {
        var entries: [[UInt8]] = []
        var next = list
        // One more than a record may have, so that a longer one is seen as such.
        while let item = next, entries.count <= ServiceRecord.maximumEntries {
            if let text = avahi_string_list_get_text(item) {
                entries.append(Array(UnsafeBufferPointer(start: text, count: avahi_string_list_get_size(item))))
            }
            next = avahi_string_list_get_next(item)
        }
        self.entries = entries
    }

    func withList<Result>(_ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result) -> Result {
        var list: UnsafeMutablePointer<AvahiStringList>?
        // The list grows at its front.
        for entry in entries.reversed() { list = avahi_string_list_add_arbitrary(list, entry, entry.count) }
        defer { avahi_string_list_free(list) }
        return body(list)
    }
}
