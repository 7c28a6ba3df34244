import Glibc

/// Folders that only their owner may enter.
public enum PrivateDirectory {
    /// Makes the folder and those above it that are missing, all 0700, and closes it to others if it was open.
    ///
    /// - Parameter owner: The user that must own it: this process's.
    /// - Throws: ``FileError`` `.foreignOwner`, `.notDirectory`, `.noSpace`, `.readOnly` or `.unwritable`.
    public static func ensure(_ path: String, owner: UInt32 = geteuid()) throws(FileError) {
        try make(path)
        var link = stat()
        // A link that another user planted is no better than a folder of theirs.
        if lstat(path, &link) == 0, link.st_uid != owner { throw .foreignOwner(path, owner: link.st_uid) }
        let folder = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY) { $1 == ENOTDIR ? .notDirectory($0) : .writing($0, $1) }
        let status = try folder.status(of: path)
        guard status.st_uid == owner else { throw .foreignOwner(path, owner: status.st_uid) }
        if status.permissions != 0o700, fchmod(folder.number, 0o700) != 0 { throw .writing(path, errno) }
    }

    private static func make(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT else { throw errno == ENOTDIR ? .notDirectory(path) : .writing(path, errno) }
        let parent = AtomicFile.split(path).folder
        guard parent != path, parent != "." else { throw .missing(path) }
        try make(parent)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .writing(path, errno) }
    }
}
