import Discovery
import EventLoop
import Foundation
import Log
import RelayProtocol

// Discovery at the end of a pipe, for tests in network namespaces. One command a line on standard input, one JSON object a
// line on standard output:
//
//     publish NAME HOSTID ADDRESS PORT FINGERPRINT INTERFACE-INDEX
//     withdraw | browse [OWN-HOSTID] | stop | watch | choose | drop | quit
//
// Names stand there with `_` for a blank.

@Sendable func say(_ fields: [String: String]) {
    guard let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]) else { return }
    FileHandle.standardOutput.write(data + Data("\n".utf8))
}

@Sendable func say(_ event: String, _ record: ServiceRecord) {
    say([
        "event": event, "hostId": record.host.uuid, "name": record.name, "address": record.address.description,
        "port": String(record.port), "fingerprint": record.fingerprint, "os": record.os ?? "",
    ])
}

@Sendable func choose(_ network: NetworkState) {
    switch NearbyAddressChooser.choose(network) {
    case .success(let choice):
        say(["event": "chosen", "address": choice.address.description, "interface": choice.interfaceName])
    case .failure(let problem):
        say(["event": "chosen", "problem": problem.description])
    }
}

struct LineSink: LogSink {
    func write(_ record: LogRecord) { say(["event": "log", "level": record.level.rawValue, "text": record.message]) }
}

let loop = try EventLoop(name: "discovery")
let log = Logger(category: "discovery", threshold: .info, sink: LineSink())

var publisher: ServicePublisher?
var browser: ServiceBrowser?
var monitor: AddressMonitor?

@MainActor func publish(_ words: [String]) async {
    guard words.count == 6, let host = HostID(words[1]), let address = IPv4Address(words[2]), let port = UInt16(words[3]),
        let index = Int(words[5])
    else { return say(["event": "misuse"]) }
    let record = ServiceRecord(
        host: host, name: words[0].replacingOccurrences(of: "_", with: " "), platform: .mac, address: address, port: port,
        fingerprint: words[4])
    let active = publisher ?? ServicePublisher(loop: loop, log: log) { say(["event": "publisher", "state": "\($0)"]) }
    publisher = active
    await active.publish(record, interfaceIndex: index)
}

@MainActor func browse(ignoring own: HostID?) async {
    let active = browser ?? ServiceBrowser(
        loop: loop, ignoring: own, log: log, onState: { say(["event": "browser", "state": "\($0)"]) },
        onEvent: { event in
            switch event {
            case .found(let record): say("found", record)
            case .lost(let record): say("lost", record)
            }
        })
    browser = active
    await active.start()
}

@MainActor func watch() async {
    monitor = await withCheckedContinuation { continuation in
        loop.execute { continuation.resume(returning: try? AddressMonitor(loop: loop, handler: choose)) }
    }
    say(["event": "watching"])
}

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "publish": await publish(Array(words.dropFirst()))
    case "withdraw": await publisher?.withdraw()
    case "browse": await browse(ignoring: words.dropFirst().first.flatMap { HostID($0) })
    case "stop":
        await browser?.stop()
        say(["event": "ignored", "count": String(await browser?.ignoredCount ?? 0)])
    case "watch": await watch()
    case "choose": choose(try NetworkState.current())
    case "drop": (publisher, browser) = (nil, nil)
    default: exit(0)
    }
}
