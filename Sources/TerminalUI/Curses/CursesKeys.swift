import CCurses

extension Key {
    /// A character as ncurses reads it; `nil` for what is no key of ours.
    init?(character code: wint_t) {
        switch code {
        case 0x0a, 0x0d: self = .enter
        case 0x09: self = .tab
        case 0x1b: self = .escape
        case 0x08, 0x7f: self = .backspace
        default:
            guard let scalar = Unicode.Scalar(code) else { return nil }
            self = .character(Character(scalar))
        }
    }

    /// A function key as ncurses numbers it; `nil` for one without a meaning here.
    init?(function code: Int32) {
        switch code {
        case KEY_UP: self = .up
        case KEY_DOWN: self = .down
        case KEY_LEFT: self = .left
        case KEY_RIGHT: self = .right
        case KEY_HOME: self = .home
        case KEY_END: self = .end
        case KEY_PPAGE: self = .pageUp
        case KEY_NPAGE: self = .pageDown
        case KEY_BTAB: self = .backTab
        case KEY_ENTER: self = .enter
        case KEY_BACKSPACE: self = .backspace
        case KEY_SR: self = .shiftUp
        case KEY_SF: self = .shiftDown
        case KEY_SLEFT: self = .shiftLeft
        case KEY_SRIGHT: self = .shiftRight
        default:
            guard let number = (Int32(1)...12).first(where: { deck_function_key($0) == code }) else { return nil }
            self = .function(Int(number))
        }
    }
}
