import Glibc
import RelayProtocol

@testable import CodexRollouts

/// Files that grow under the reader.
let rolloutFileTargets = [
    FuzzTarget("rollout-file", maximumLength: 8192) { bytes in
        let whole = read(bytes, growingFrom: bytes.count)
        let grown = read(bytes, growingFrom: bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) * bytes.count / 256)
        expect(grown == whole, "a file that grew means what it means when read at once")
        checkTail(bytes)
    },
    FuzzTarget("rollout-zstd") { bytes in
        let whole = unpack([bytes])
        let pieces = unpack(bytes.pieces)
        // How much comes out before damage is met depends on the pieces, and with it which of two failures comes first.
        expect((pieces.failure == nil) == (whole.failure == nil), "how packed bytes are cut changes nothing")
        if whole.failure == nil { expect(pieces.output == whole.output, "how packed bytes are cut changes nothing") }
        expect(whole.output.count <= unpackedLimit, "no more comes out than allowed")
    },
    FuzzTarget("session-index") { bytes in
        let whole = names(bytes, growingFrom: bytes.count)
        expect(
            names(bytes, growingFrom: bytes.count * Int(bytes.last ?? 0) / 256) == whole, "an index that grew means what it means when read at once")
        for name in whole.values { expect(!name.isEmpty && name.count <= 240, "a name is there and short") }
    },
]

/// A file without a name, for parsers that read files.
private struct ScratchFile {
    let descriptor: Int32
    var path: String { "/proc/self/fd/\(descriptor)" }

    init() {
        let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(folder)/deck-fuzz-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        expect(descriptor >= 0, "a temporary file can be made")
        unlink(template)
    }

    func hold(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        ftruncate(descriptor, 0)
        expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, "the temporary file can be written")
    }
}

private let file = ScratchFile()

// MARK: Rollouts

private struct Reading: Equatable {
    var state: SessionState
    var meta: SessionMeta?
    var damaged: Int
    var skipped: Int
}

private let limits = {
    var limits = RolloutFile.Limits()
    limits.line = 1024
    return limits
}()

/// - Parameter beginning: How many bytes are there when the file is first seen.
private func read(_ bytes: UnsafeRawBufferPointer, growingFrom beginning: Int) -> Reading? {
    do {
        file.hold(bytes.prefix(beginning))
        let open = try OpenFile(file.path)
        var rollout = try RolloutFile(open, isCompressed: false, limits: limits)
        file.hold(bytes)
        expect(try rollout.update(open), "a file that only grew is read on")
        return Reading(state: rollout.state, meta: rollout.meta, damaged: rollout.damagedLines, skipped: rollout.skippedLines)
    } catch {
        expect(false, "the temporary file can be read: \(error)")
        return nil
    }
}

/// Reading backwards until the newest turn is known gives what reading from the front gives.
private func checkTail(_ bytes: UnsafeRawBufferPointer) {
    file.hold(bytes)
    let reader = TailReader(limit: Int64(bytes.count), maximumLength: limits.line)
    guard let open = try? OpenFile(file.path), let tail = try? reader.read(open, end: Int64(bytes.count)) else {
        return expect(false, "the temporary file can be read backwards")
    }
    var forwards = SessionState()
    var splitter = LineSplitter(maximumLength: limits.line)
    splitter.feed(bytes) { line, offset in
        if let record = RecordParser(wantsPreview: false).parse(line, offset: offset) { forwards.apply(record) }
    }
    var backwards = SessionState()
    for record in tail.records { backwards.apply(record) }
    expect(tail.isComplete, "a reader that may look at all of a file finds where its newest turn begins")
    expect(backwards.lifecycle == forwards.lifecycle, "both directions agree on how the session stands")
    expect(backwards.workStart == forwards.workStart, "both directions agree on when the work began")
}

// MARK: Packed rollouts

private let unpackedLimit = 1 << 20

private func unpack(_ pieces: [UnsafeRawBufferPointer]) -> (output: [UInt8], failure: ZstdReader.Failure?) {
    var output: [UInt8] = []
    do throws(ZstdReader.Failure) {
        let reader = try ZstdReader(limit: Int64(unpackedLimit))
        for piece in pieces { try reader.feed(piece) { output.append(contentsOf: $0) } }
        return (output, nil)
    } catch {
        return (output, error)
    }
}

// MARK: Names

private func names(_ bytes: UnsafeRawBufferPointer, growingFrom beginning: Int) -> [TaskIdentity: String] {
    var names = SessionNames()
    do {
        file.hold(bytes.prefix(beginning))
        _ = try names.update(file.path)
        file.hold(bytes)
        _ = try names.update(file.path)
    } catch {
        expect(false, "the temporary file can be read: \(error)")
    }
    return names.names
}
