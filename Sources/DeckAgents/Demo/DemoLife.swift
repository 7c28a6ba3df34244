/// What one task of the demo is about: its title and the turns that it goes through again and again.
struct DemoLife: Sendable {
    var title: String
    /// How full its context is when the demo begins, in percent.
    var context: Int
    /// One or more.
    var scenes: [DemoScene]
    /// How a turn fails that is to fail: what is said last, and the failure.
    var setback: DemoScene.Branch?

    /// The turn of a number, of any sign.
    ///
    /// - Parameter fails: Whether it is to fail, if this life knows how.
    func scene(_ number: Int, fails: Bool = false) -> DemoScene {
        var scene = scenes[(number % scenes.count + scenes.count) % scenes.count]
        if fails, let setback { scene.accepted = setback }
        return scene
    }

    /// What all tasks of the demo begin their titles with.
    static let mark = "Demo: "

    /// The six tasks with their parts, in the order in which they are made.
    static let cast: [(part: DemoPart, life: DemoLife)] = [
        (.asking(0), .loginTest), (.long(0), .importer), (.asking(1), .releaseNotes), (.long(1), .memoryLeak), (.asking(2), .schema),
        (.asking(3), .payments),
    ]

    /// Every title that the demo gives.
    static let titles = cast.map(\.life.title) + [newTask.title]
}
