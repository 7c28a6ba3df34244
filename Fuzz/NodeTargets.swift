import JSON
import RelayProtocol
import TLS

@testable import DeckNode
@testable import Pairing

let nodeTargets = [
    FuzzTarget("deck-settings") { bytes in
        guard let json = try? JSONParser().parse(bytes), let settings = try? DeckSettings(json: json) else { return }
        checkWritten(settings.json) { try? DeckSettings(json: $0) == settings }
        expect(settings.custom.count == Snapshot.slotCount, "there is a place for every slot")
    },
    FuzzTarget("node-state") { bytes in
        guard let json = try? JSONParser().parse(bytes) else { return }
        checkRecord(HostIdentity.self, json)
        checkRecord(RelayServerConfiguration.self, json)
        checkRecord(NearbyConfiguration.self, withCertificate(json))
    },
    FuzzTarget("control-line", maximumLength: 2048) { bytes in
        let line = Array(bytes)
        if let request = ControlRequest(line: line) {
            let again = ControlRequest(line: request.line.dropLast())
            expect(again?.command == request.command && again?.arguments == request.arguments, "a request reads back the same")
        }
        switch ControlReply(line: line) {
        case .success(let value)?:
            guard case .success(value)? = ControlReply(line: ControlReply.success(value).line.dropLast()) else {
                return expect(false, "an answer reads back the same")
            }
        case .failure(let sentence)?:
            guard case .failure(sentence)? = ControlReply(line: ControlReply.failure(sentence).line.dropLast()) else {
                return expect(false, "a refusal reads back the same")
            }
        case nil: break
        }
    },
    FuzzTarget("control-stream", maximumLength: 1024) { bytes in
        let whole = controlLines([bytes])
        expect(controlLines(bytes.pieces) == whole, "how a stream is cut changes nothing")
        if let whole { expect(whole.allSatisfy { $0.count <= controlLimit }, "a line is within the limit") }
    },
]

extension ControlRequest {
    fileprivate init?(line: ArraySlice<UInt8>) { self.init(line: Array(line)) }
}

extension ControlReply {
    fileprivate init?(line: ArraySlice<UInt8>) { self.init(line: Array(line)) }
}

// MARK: State files

private func checkRecord<Record: NodeStateRecord & Equatable>(_ type: Record.Type, _ json: JSONValue) {
    guard let record = try? Record(json: json) else { return }
    checkWritten(record.json) { try? Record(json: $0) == record }
}

/// Passes `json` through a file, as it were.
private func checkWritten(_ json: JSONValue, isSame: (JSONValue) -> Bool?) {
    guard let read = try? JSONParser().parse(json.encoded()) else { return expect(false, "a state file is valid JSON") }
    expect(isSame(read) == true, "a state file reads back the same")
}

/// A pair of certificate and key, made anew in each run: none is kept in the corpus, and no mutation would find one.
private let certificate = HostID("0189aabb-ccdd-4eef-8011-223344556677").flatMap {
    try? StoredCertificate.selfSigned(host: $0, address: nil, now: .seconds(1_800_000_000))
}

/// `json` with the word `valid` in the place of the certificate replaced by one.
private func withCertificate(_ json: JSONValue) -> JSONValue {
    guard case .object(var members) = json, members["tls"] == "valid" else { return json }
    members["tls"] = certificate?.json
    return .object(members)
}

// MARK: Control socket

private let controlLimit = 64

private func controlLines(_ pieces: [UnsafeRawBufferPointer]) -> [[UInt8]]? {
    var reader = LineReader(limit: controlLimit)
    var lines: [[UInt8]] = []
    for piece in pieces {
        guard let more = reader.receive(piece) else { return nil }
        lines += more
    }
    return lines
}
