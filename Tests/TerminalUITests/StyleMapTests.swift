import Testing

@testable import TerminalUI

struct StyleMapTests {
    @Test("Without colours there are none", arguments: TextStyle.allCases, Theme.allCases)
    func monochrome(style: TextStyle, theme: Theme) {
        #expect(StyleMap(colors: 0, theme: theme).look(style).color == nil)
    }

    @Test("Colours stay within what the terminal has", arguments: [8, 16, 256], Theme.allCases)
    func staysInRange(colors: Int, theme: Theme) {
        for style in TextStyle.allCases {
            let look = StyleMap(colors: colors, theme: theme).look(style)
            #expect(look.color.map { (0..<min(colors, 256)).contains($0) } ?? true)
            // Black or white letters would vanish on one of the two backgrounds.
            #expect(look.color != 0 && look.color != 7 && look.color != 15)
        }
    }

    @Test("States that need the user stand out also without colours") func emphasis() {
        let map = StyleMap(colors: 0, theme: .dark)
        #expect(map.look(.waiting).isBold && map.look(.failed).isBold)
        #expect(!map.look(.working).isBold && map.look(.idle).isDim)
        #expect(map.look(.prompt).isReversed && map.look(.chosen).isReversed)
        #expect(map.look(.focusFrame) != map.look(.frame))
    }

    @Test("States have colours of their own", arguments: [8, 256], Theme.allCases)
    func statesDiffer(colors: Int, theme: Theme) {
        let map = StyleMap(colors: colors, theme: theme)
        let looks = [TextStyle.waiting, .failed, .working, .finished].map { map.look($0).color }
        #expect(Set(looks).count == 4)
    }

    @Test("Light and dark differ where they must", arguments: [TextStyle.waiting, .working, .focusFrame])
    func themesDiffer(style: TextStyle) {
        for colors in [8, 256] {
            #expect(StyleMap(colors: colors, theme: .dark).look(style).color != StyleMap(colors: colors, theme: .light).look(style).color)
        }
    }
}
