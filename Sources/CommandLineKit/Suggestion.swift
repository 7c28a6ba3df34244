/// Finds what was probably meant.
enum Suggestion {
    /// The nearest of the words, when it is near enough to be a slip: a third of the letters, or the beginning of just one word.
    static func nearest(to text: String, in words: [String]) -> String? {
        guard text.count <= 40 else { return nil }
        let ranked = words.map { ($0, distance(text, $0)) }.min { $0.1 < $1.1 }
        if let (word, distance) = ranked, distance <= max(1, text.count / 3), distance < text.count { return word }
        let longer = words.filter { text.count >= 2 && $0.hasPrefix(text) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// How many letters to insert, remove, replace or swap with their neighbour to get from one word to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left), b = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
