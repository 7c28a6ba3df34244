/// Who plays what in the demo.
enum DemoPart: Hashable, Sendable {
    /// Asks a person once in each turn. Four of them, 0 to 3, take turns so that always one waits and one has finished.
    case asking(Int)
    /// Works for minutes without asking. Two of them, 0 and 1, take turns so that always one works.
    case long(Int)
    /// A fork or a new task: it begins when it was made.
    case guest(begin: Duration)
}

/// When the tasks of the demo do what, in time since its beginning. Pure arithmetic: the same seed gives the same times.
///
/// A task of a person's making changes only its own turn: who answers early sees the task finish early, and it begins again in time.
struct DemoTimetable: Sendable {
    /// The times of one turn.
    struct Turn: Hashable, Sendable {
        /// From 0, or less for one that began before the demo.
        var number: Int
        var begin: Duration
        /// When it asks a person; `nil` for never.
        var decision: Duration?
        /// How long it goes on after the decision, the command that was decided on included. A turn without one takes this long from its beginning.
        var closing: Duration
        /// Whether it may fail without leaving the deck without a finished task.
        var mayFail: Bool

        /// When it ends if nobody decides.
        var end: Duration { decision.map { $0 + DemoTimetable.patience + closing } ?? begin + closing }
    }

    /// How long a question waits before the demo answers it itself, so that an unattended demo keeps moving.
    static let patience = Duration.seconds(25)
    /// The asking tasks wait one after another, each a little before the former one is answered.
    static let stagger = Duration.seconds(22)
    static let askingPeriod = stagger * 4
    static let longPeriod = askingPeriod * 4
    private static let firstDecision = Duration.milliseconds(2_500)
    private static let opening = Duration.seconds(18)
    private static let closing = Duration.seconds(17)
    private static let longTurn = Duration.seconds(230)

    var seed: UInt64

    func turn(of part: DemoPart, number: Int) -> Turn {
        switch part {
        case .asking(let index): asking(index, number)
        case .long(let index): long(index, number)
        case .guest(let begin): guest(begin, number)
        }
    }

    /// How a part stands when the demo begins.
    enum Beginning: Hashable, Sendable {
        /// Its turn of that number is over.
        case rested(number: Int)
        /// It is in the middle of this turn, which begins now.
        case working(Turn)

        /// The number of the turn that it is in, or was in last.
        var number: Int { switch self { case .rested(let number): number; case .working(let turn): turn.number } }
        /// The turn before, which is over at once.
        var past: Turn { Turn(number: number - 1, begin: .zero, decision: nil, closing: .zero, mayFail: false) }
    }

    /// Whether a turn that may fail does.
    func fails(_ part: DemoPart, _ number: Int) -> Bool {
        guard case .asking(let index) = part else { return false }
        var random = random(32 + UInt64(index), number)
        return Int.random(in: 0..<4, using: &random) == 0
    }

    func beginning(of part: DemoPart) -> Beginning {
        if case .guest = part { return .working(turn(of: part, number: 0)) }
        var turn = turn(of: part, number: 0)
        while turn.begin > .zero { turn = self.turn(of: part, number: turn.number - 1) }
        guard turn.end > Self.leastRest else { return .rested(number: turn.number) }
        if turn.decision.map({ $0 < Self.leastOpening }) ?? true {
            turn.closing = turn.end
            turn.decision = nil
        }
        turn.begin = .zero
        return .working(turn)
    }

    /// The next turn of a part whose turn has ended, with a rest between them.
    func next(of part: DemoPart, after number: Int, now: Duration) -> Turn {
        if case .guest(let begin) = part {
            guard number >= 0 else { return guest(begin, 0) }
            // Nobody's rota depends on it.
            var random = random(128, number + 1)
            return guest(now + Self.seconds(60...110, &random), number + 1)
        }
        let next = turn(of: part, number: number + 1)
        // What was slept through, as by a computer that was suspended, is left out in one go.
        let behind = now + Self.leastRest - next.begin
        return behind > .zero ? turn(of: part, number: number + 2 + Int(behind / Self.period(of: part))) : next
    }

    private static let leastOpening = Duration.seconds(1)
    private static let leastRest = Duration.seconds(3)

    private static func period(of part: DemoPart) -> Duration { if case .long = part { longPeriod } else { askingPeriod } }

    // MARK: Within a turn

    /// When an answer of the pretended model is complete.
    ///
    /// - Parameter now: When it begins.
    static func deadline(of place: DemoScene.Place, in turn: Turn, now: Duration) -> Duration {
        switch place {
        case .before(let index, let count):
            let whole = turn.decision.map { $0 - turn.begin } ?? turn.closing
            return turn.begin + whole * (index + 1) / max(count, 1)
        // The pretended command takes its time before.
        case .after(_, let count): return now + max(turn.closing - DemoTools.commandTime, .zero) / max(count, 1)
        }
    }

    // MARK: Parts

    private func asking(_ index: Int, _ number: Int) -> Turn {
        var random = random(UInt64(index), number)
        let decision = Self.firstDecision + Self.stagger * index + Self.askingPeriod * number
        // In the second of two turns a long task rests beside it, so a failure leaves a finished task on the deck.
        let mayFail = number.isMultiple(of: 2) == (index != 0)
        return Turn(
            number: number, begin: decision - Self.opening + Self.seconds(-2...2, &random), decision: decision,
            closing: Self.closing + Self.seconds(-2...2, &random), mayFail: mayFail)
    }

    private func long(_ index: Int, _ number: Int) -> Turn {
        var random = random(16 + UInt64(index), number)
        return Turn(
            number: number, begin: Self.longPeriod * number + Self.longPeriod / 2 * index, decision: nil,
            closing: Self.longTurn + Self.seconds(-6...6, &random), mayFail: false)
    }

    private func guest(_ begin: Duration, _ number: Int) -> Turn {
        var random = random(UInt64(bitPattern: begin.components.seconds) &+ 64, number)
        return Turn(
            number: number, begin: begin, decision: begin + Self.seconds(14...30, &random), closing: Self.seconds(12...24, &random), mayFail: false)
    }

    private func random(_ part: UInt64, _ number: Int) -> SplitMix64 { .of(seed: seed, part, UInt64(bitPattern: Int64(number))) }

    private static func seconds(_ range: ClosedRange<Int>, _ random: inout SplitMix64) -> Duration {
        .milliseconds(Int64.random(in: Int64(range.lowerBound) * 1_000...Int64(range.upperBound) * 1_000, using: &random))
    }
}
