import Glibc

/// All targets. Each has a folder of seeds of its own name in `Corpus`.
private let targets: [FuzzTarget] =
    jsonTargets + webSocketTargets + relayTargets + textTargets + linkTargets + discoveryTargets + rolloutTargets + rolloutFileTargets + nodeTargets
    + clientTargets + appServerTargets + codexKitTargets + agentTargets

/// Which target this process runs; all of them are in one program so that the parsers are compiled once.
private let chosen: FuzzTarget? = getenv("DECK_FUZZ_TARGET").flatMap { name in targets.first { $0.name == String(cString: name) } }

/// Called by libFuzzer before the first input.
@c(LLVMFuzzerInitialize)
public func initialize(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?)
    -> CInt
{
    // libFuzzer does not know the signal by which Swift traps on ARM.
    signal(SIGTRAP) { _ in abort() }
    guard chosen == nil else { return 0 }
    for target in targets { print(target.name, target.maximumLength) }
    exit(getenv("DECK_FUZZ_TARGET") == nil ? 0 : 2)
}

/// Called by libFuzzer with every input.
@c(LLVMFuzzerTestOneInput)
public func runOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen?.run(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}
