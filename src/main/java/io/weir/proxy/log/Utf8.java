package io.weir.proxy.log;

/** Tells UTF-8 from other bytes, in text of one char for each byte. */
final class Utf8 {

    private Utf8() {}

    /**
     * The bytes of the well-formed sequence that begins at {@code at}, 2 to 4; 0 if none does (RFC 3629 section 4).
     *
     * @param at where a byte above 127 stands
     */
    static int length(String text, int at) {
        int first = text.charAt(at) & 0xff;
        int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        if (first < 0xc2 || first > 0xf4 || at + length > text.length()) {
            return 0;
        }
        for (int i = at + 1; i < at + length; i++) {
            if ((text.charAt(i) & 0xc0) != 0x80) {
                return 0;
            }
        }
        int second = text.charAt(at + 1) & 0xff;
        boolean fits = switch (first) {
            // longer than need be, or a surrogate, or beyond U+10FFFF
            case 0xe0 -> second >= 0xa0;
            case 0xed -> second < 0xa0;
            case 0xf0 -> second >= 0x90;
            case 0xf4 -> second < 0x90;
            default -> true;
        };
        return fits ? length : 0;
    }
}
