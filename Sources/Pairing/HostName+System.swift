import Glibc

extension HostName {
    /// The name the system gives this computer, cleaned; the first label when it is a fully qualified one.
    public static func ofThisComputer() -> String {
        var buffer = [CChar](repeating: 0, count: 257)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return cleaned("") }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return cleaned(String(name.prefix { $0 != "." }))
    }
}
