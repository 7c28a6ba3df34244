import Files

extension FileError {
    /// What happened, without the path: for screens, which are told no paths. The log should hold ``description``.
    var screenSentence: String {
        switch self {
        case .noSpace: "There is no space left on that computer."
        case .readOnly: "The disk of that computer is read-only."
        case .tooLarge: "A file on that computer is too large."
        case .missing, .notRegular, .notDirectory, .symbolicLink, .alreadyExists, .unreadable, .unwritable, .foreignOwner, .noHome:
            "A file of that computer cannot be used; the log of its node says which."
        }
    }
}

extension ComposerDraftError {
    /// What happened, without paths: for screens.
    var screenSentence: String {
        switch self {
        case .file(let error): error.screenSentence
        case .lock: "The draft is being written just now; press again."
        case .blank, .tooLong, .notText: description
        }
    }
}
