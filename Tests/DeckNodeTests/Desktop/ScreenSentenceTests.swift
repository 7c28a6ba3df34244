import Files
import Testing

@testable import DeckNode

struct ScreenSentenceTests {
    private static let errors: [FileError] = [
        .missing("/canary"), .notRegular("/canary"), .notDirectory("/canary"), .symbolicLink("/canary"), .tooLarge("/canary", limit: 1),
        .alreadyExists("/canary"), .unreadable("/canary", errno: 13), .noSpace("/canary"), .readOnly("/canary"), .unwritable("/canary", errno: 13),
        .foreignOwner("/canary", owner: 1), .noHome,
    ]

    @Test(arguments: errors)
    func screensAreToldNoPaths(error: FileError) {
        for sentence in [error.screenSentence, ComposerDraftError.file(error).screenSentence] {
            #expect(sentence.hasSuffix("."))
            #expect(!sentence.contains("canary"))
        }
    }

    @Test(arguments: [ComposerDraftError.blank, .tooLong, .notText, .lock(.heldBy(pid: 1, path: "/canary")), .lock(.failed(.missing("/canary")))])
    func norByADraft(error: ComposerDraftError) {
        #expect(error.screenSentence.hasSuffix("."))
        #expect(!error.screenSentence.contains("canary"))
    }
}
