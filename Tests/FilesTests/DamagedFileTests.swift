import Testing

@testable import Files

struct DamagedFileTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        (0, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (1_798_761_599, "20261231T235959Z"), (4_102_444_800, "21000101T000000Z"),
    ])
    func keepsTheContentUnderTheTime(seconds: Int, stamp: String) throws {
        let path = folder.put("deck.json", "{broken")
        #expect(try DamagedFile.setAside(path, now: .seconds(seconds)) == path + ".damaged-" + stamp)
        #expect(folder.names == ["deck.json.damaged-" + stamp])
        #expect(folder.text("deck.json.damaged-" + stamp) == "{broken")
    }

    @Test func neverReplacesAnEarlierOne() throws {
        for number in 1...3 {
            try DamagedFile.setAside(folder.put("deck.json", "\(number)"), now: .zero)
        }
        let base = "deck.json.damaged-19700101T000000Z"
        #expect(folder.names == [base, base + "-2", base + "-3"])
        #expect([base, base + "-2", base + "-3"].map { folder.text($0) } == ["1", "2", "3"])
    }

    @Test func aMissingFileIsSaid() {
        #expect(throws: FileError.missing(folder("none"))) { try DamagedFile.setAside(folder("none"), now: .zero) }
    }
}
