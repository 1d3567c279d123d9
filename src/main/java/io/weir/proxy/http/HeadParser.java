package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads heads of HTTP/1 messages, as strictly as RFC 9112 allows: each line ends in CR LF, no line is folded, nothing stands
 * before a colon but the name, and no control character anywhere. Reads a whole head or nothing, so that it keeps nothing
 * between two calls but the room that it works in. For the thread of one loop.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9112.html">RFC 9112 sections 2 to 5</a>
 */
final class HeadParser {

    /** What is looked at first: longer than most heads, and a short copy where a body comes with the head. */
    private static final int FIRST_LOOK = 1024;

    private static final int INCOMPLETE = -1;

    /** The length of a CR LF, which belongs to its line. */
    private static final int LINE_END = 2;

    private static final boolean[] TOKEN = new boolean[256];
    private static final boolean[] METHOD = new boolean[256];

    static {
        for (char c : "!#$%&'*+-.^_`|~0123456789".toCharArray()) {
            TOKEN[c] = true;
        }
        for (char c = 'A'; c <= 'Z'; c++) {
            TOKEN[c] = true;
            TOKEN[c + ('a' - 'A')] = true;
            METHOD[c] = true;
        }
        // those are the letters that nginx takes: a method in small letters is another one, which nobody means
        METHOD['-'] = true;
        METHOD['_'] = true;
    }

    /** What came is not HTTP, or too much of it. */
    static final class Malformed extends Exception {

        private static final long serialVersionUID = 1;

        private final int status;

        private Malformed(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }

        static Malformed because(String message) {
            return new Malformed(400, message);
        }

        /** That answers it if it is a request. */
        int status() {
            return status;
        }
    }

    private byte[] bytes = new byte[FIRST_LOOK];
    private int length;
    private int end;
    private int[] at = new int[32 * HttpFields.STRIDE];
    private int places;
    private int lineStart;
    private int linesStart;
    private int maxLine;
    private int maxFields;

    /**
     * Reads the head of a request.
     *
     * @param in its reader index is moved behind the head, if all of it is there
     * @param maxLine most bytes of the request line, and of each field
     * @param maxHead most bytes of all lines
     * @param maxFields most fields
     * @return null if it is not complete yet
     * @throws Malformed if it cannot become a request any more
     */
    @Nullable
    RequestHead request(ByteBuf in, int maxLine, int maxHead, int maxFields) throws Malformed {
        this.maxLine = maxLine;
        this.maxFields = maxFields;
        lineStart = 0;
        linesStart = 0;
        RequestHead head = null;
        for (int size = FIRST_LOOK; head == null && look(in, size, maxHead); size *= 4) {
            head = request();
        }
        if (head != null) {
            in.skipBytes(end);
        }
        return head;
    }

    /**
     * Bytes of the lines of the request that were read in whole when it was looked at last: what nginx counts of a head that
     * it refuses.
     */
    int completeLines() {
        return lineStart - linesStart;
    }

    /**
     * Reads the head of a response.
     *
     * @param in its reader index is moved behind the head, if all of it is there
     * @param maxHead most bytes of all lines
     * @param maxFields most fields
     * @return null if it is not complete yet
     * @throws Malformed if it cannot become a response any more
     */
    @Nullable
    ResponseHead response(ByteBuf in, int maxHead, int maxFields) throws Malformed {
        this.maxLine = maxHead;
        this.maxFields = maxFields;
        ResponseHead head = null;
        for (int size = FIRST_LOOK; head == null && look(in, size, maxHead); size *= 4) {
            head = response();
        }
        if (head != null) {
            in.skipBytes(end);
        }
        return head;
    }

    /**
     * Reads the fields behind the last chunk.
     *
     * @param in its reader index is moved behind them, if all are there
     * @param maxSize most bytes of all lines
     * @param maxFields most fields
     * @return whether they are complete
     * @throws Malformed if they cannot become fields any more
     */
    boolean trailers(ByteBuf in, int maxSize, int maxFields) throws Malformed {
        this.maxLine = maxSize;
        this.maxFields = maxFields;
        int behind = INCOMPLETE;
        for (int size = FIRST_LOOK; behind == INCOMPLETE && look(in, size, maxSize); size *= 4) {
            behind = fields(0);
        }
        if (behind != INCOMPLETE) {
            in.skipBytes(behind);
        }
        return behind != INCOMPLETE;
    }

    // ---- what is looked at ----

    /**
     * Takes the first {@code size} bytes, where fewer were not enough.
     *
     * @return whether these are more than at the last look
     */
    private boolean look(ByteBuf in, int size, int max) throws Malformed {
        int before = size == FIRST_LOOK ? 0 : length;
        if (before == max) {
            throw new Malformed(431, "the fields are too long");
        }
        length = Math.min(Math.min(in.readableBytes(), max), size);
        if (length > bytes.length) {
            bytes = new byte[length];
        }
        in.getBytes(in.readerIndex(), bytes, 0, length);
        return length > before;
    }

    // ---- lines ----

    private @Nullable RequestHead request() throws Malformed {
        int p = 0;
        // section 2.2: empty lines before the first are overlooked
        while (p < length && bytes[p] == '\r') {
            int next = lineEnd(p);
            if (next == INCOMPLETE) {
                return null;
            }
            p = next;
        }
        int start = p;
        linesStart = start;
        lineStart = start;
        while (p < length && METHOD[bytes[p] & 0xff]) {
            p++;
        }
        int methodEnd = p;
        p = space(p, methodEnd > start);
        if (p == INCOMPLETE) {
            return incompleteLine(start);
        }
        int target = p;
        while (p < length && isVisible(bytes[p])) {
            p++;
        }
        int targetEnd = p;
        p = space(p, targetEnd > target);
        p = p == INCOMPLETE ? p : version(p);
        if (p == INCOMPLETE) {
            return incompleteLine(start);
        }
        int version = (bytes[p - 3] - '0') * 10 + bytes[p - 1] - '0';
        if (p + LINE_END - start > maxLine) {
            throw new Malformed(414, "the request line is too long");
        }
        p = lineEnd(p);
        int first = p;
        p = p == INCOMPLETE ? p : fields(p);
        if (p == INCOMPLETE) {
            return null;
        }
        end = p;
        return new RequestHead(method(start, methodEnd), text(target, targetEnd), version, fields(first, p), 0);
    }

    private @Nullable RequestHead incompleteLine(int start) throws Malformed {
        if (length + LINE_END - start > maxLine) {
            throw new Malformed(414, "the request line is too long");
        }
        return null;
    }

    private @Nullable ResponseHead response() throws Malformed {
        int p = version(0);
        if (p == INCOMPLETE) {
            return null;
        }
        if (bytes[p - 3] != '1') {
            throw Malformed.because("not HTTP/1");
        }
        int version = (bytes[p - 3] - '0') * 10 + bytes[p - 1] - '0';
        p = space(p, true);
        if (p == INCOMPLETE) {
            return null;
        }
        int status = 0;
        for (int digits = 0; digits < 3; digits++) {
            if (p == length) {
                return null;
            }
            if (!isDigit(bytes[p])) {
                throw Malformed.because("the status is not a number");
            }
            status = status * 10 + bytes[p++] - '0';
        }
        if (status < 100) {
            throw Malformed.because("the status is below 100");
        }
        // the blank belongs there, but a phrase does not have to, and many leave out both
        int reason = p;
        if (p < length && bytes[p] == ' ') {
            reason = ++p;
            while (p < length && isText(bytes[p])) {
                p++;
            }
        }
        int reasonEnd = p;
        p = lineEnd(p);
        int first = p;
        p = p == INCOMPLETE ? p : fields(p);
        if (p == INCOMPLETE) {
            return null;
        }
        end = p;
        return new ResponseHead(status, text(reason, reasonEnd), version, fields(first, p));
    }

    /** Reads lines of fields up to the empty one; returns the position behind it. */
    private int fields(int from) throws Malformed {
        places = 0;
        lineStart = from;
        int p = from;
        while (p < length && bytes[p] != '\r') {
            int name = p;
            while (p < length && TOKEN[bytes[p] & 0xff]) {
                p++;
            }
            if (p == length) {
                return incompleteField(name);
            }
            if (p == name || bytes[p] != ':') {
                throw Malformed.because("a line is not a name, a colon and a value");
            }
            int nameEnd = p++;
            while (p < length && isBlank(bytes[p])) {
                p++;
            }
            int value = p;
            while (p < length && isText(bytes[p])) {
                p++;
            }
            int valueEnd = p;
            p = lineEnd(p);
            if (p == INCOMPLETE) {
                return incompleteField(name);
            }
            if (p - name > maxLine) {
                throw new Malformed(431, "a field is too long");
            }
            while (valueEnd > value && isBlank(bytes[valueEnd - 1])) {
                valueEnd--;
            }
            add(name, nameEnd, value, valueEnd);
            lineStart = p;
        }
        return lineEnd(p);
    }

    private int incompleteField(int start) throws Malformed {
        if (length - start > maxLine) {
            throw new Malformed(431, "a field is too long");
        }
        return INCOMPLETE;
    }

    private void add(int name, int nameEnd, int value, int valueEnd) throws Malformed {
        if (places >= maxFields * HttpFields.STRIDE) {
            throw new Malformed(431, "there are too many fields");
        }
        if (places == at.length) {
            at = Arrays.copyOf(at, places * 2);
        }
        at[places] = name;
        at[places + 1] = nameEnd;
        at[places + 2] = value;
        at[places + 3] = valueEnd;
        places += HttpFields.STRIDE;
    }

    /** The fields that were read, in an array of their own. */
    private HttpFields fields(int from, int to) {
        if (places == 0) {
            return HttpFields.NONE;
        }
        int[] own = new int[places];
        for (int i = 0; i < places; i++) {
            own[i] = at[i] - from;
        }
        return new HttpFields(Arrays.copyOfRange(bytes, from, to), own);
    }

    // ---- words ----

    /** The position behind a CR LF. */
    private int lineEnd(int p) throws Malformed {
        if (p < length && bytes[p] != '\r' || p + 1 < length && bytes[p + 1] != '\n') {
            throw Malformed.because("a line has a control character or does not end in CR LF");
        }
        return p + 1 < length ? p + 2 : INCOMPLETE;
    }

    /** The position behind one space; {@code word} tells whether there is something before it. */
    private int space(int p, boolean word) throws Malformed {
        if (p == length) {
            return INCOMPLETE;
        }
        if (!word || bytes[p] != ' ') {
            throw Malformed.because("the words of the first line are not separated by one space");
        }
        return p + 1;
    }

    /** The position behind a version. */
    private int version(int p) throws Malformed {
        String pattern = "HTTP/0.0";
        for (int i = 0; i < pattern.length(); i++) {
            if (p + i == length) {
                return INCOMPLETE;
            }
            byte b = bytes[p + i];
            if (pattern.charAt(i) == '0' ? !isDigit(b) : b != pattern.charAt(i)) {
                throw Malformed.because("not a version of HTTP");
            }
        }
        return p + pattern.length();
    }

    private String method(int from, int to) {
        if (to - from == 3 && bytes[from] == 'G' && bytes[from + 1] == 'E' && bytes[from + 2] == 'T') {
            return "GET";
        }
        return text(from, to);
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    /** What a target may be made of as far as framing goes: bytes beyond ASCII are negative. */
    private static boolean isVisible(byte b) {
        return b > ' ' && b != 127 || b < 0;
    }

    static boolean isTokenChar(byte b) {
        return TOKEN[b & 0xff];
    }

    /** What a value or a phrase is made of. */
    static boolean isText(byte b) {
        return b >= ' ' && b != 127 || b < 0 || b == '\t';
    }
}
