import COpenSSL
import Files
import Glibc
import JSON

/// On what the numbers were measured: they mean little elsewhere.
struct MachineFacts {
    let processor: String
    let cores: Int
    let kernel: String
    let openSSL: String
    let load: String

    static var now: MachineFacts {
        var names = utsname()
        uname(&names)
        let kernel = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let model = text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        return MachineFacts(
            processor: model?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown",
            cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)), kernel: kernel,
            openSSL: OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "unknown",
            load: text("/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " "))
    }

    var lines: [String] { ["\(processor), \(cores) cores, Linux \(kernel), \(openSSL), load at the start \(load)", Self.build] }

    var json: JSONValue {
        .object([
            "processor": .string(processor), "cores": .number(Double(cores)), "kernel": .string(kernel), "openSSL": .string(openSSL),
            "load": .string(load), "build": .string(Self.build),
        ])
    }

    private static var build: String {
        #if DEBUG
            "built for debugging: the numbers say nothing; build with -c release"
        #else
            "built for release"
        #endif
    }

    private static func text(_ path: String) -> String { (try? File.read(path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
