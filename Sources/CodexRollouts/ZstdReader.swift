import CZstd

/// Unpacks a compressed rollout piece by piece; the whole of it is never in memory.
final class ZstdReader {
    enum Failure: Error, Equatable, CustomStringConvertible {
        /// The data is damaged, not zstd, or needs a window larger than 128 MiB.
        case damaged
        /// More came out than allowed.
        case tooLarge
        case outOfMemory

        var description: String {
            switch self {
            case .damaged: "the compressed data is damaged"
            case .tooLarge: "it is too large when unpacked"
            case .outOfMemory: "there is no memory left to unpack it"
            }
        }
    }

    private let stream: OpaquePointer
    private let output: UnsafeMutableRawBufferPointer
    private let limit: Int64
    private var total: Int64 = 0

    /// - Parameter limit: Bytes that may come out, at most.
    init(limit: Int64) throws(Failure) {
        guard let stream = ZSTD_createDCtx() else { throw .outOfMemory }
        self.stream = stream
        self.limit = limit
        output = .allocate(byteCount: ZSTD_DStreamOutSize(), alignment: 16)
    }

    deinit {
        ZSTD_freeDCtx(stream)
        output.deallocate()
    }

    /// Takes the next compressed bytes and hands out what they unpack to. Several frames one after another are one text.
    func feed(_ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) throws(Failure) {
        var input = ZSTD_inBuffer(src: chunk.baseAddress, size: chunk.count, pos: 0)
        var isFull = false
        while input.pos < input.size || isFull {
            var out = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
            guard ZSTD_isError(ZSTD_decompressStream(stream, &out, &input)) == 0 else { throw .damaged }
            isFull = out.pos == out.size
            total += Int64(out.pos)
            guard total <= limit else { throw .tooLarge }
            if out.pos > 0 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<out.pos])) }
        }
    }
}
